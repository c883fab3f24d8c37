package dev.windrow.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import dev.windrow.tests.docs.English;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The help of each command has examples, and each of them is one. */
@Once
class HelpTest {
    /** One for all tests, because to make all commands takes tens of milliseconds. */
    private static final CommandLine PARSER = InProcess.parser();

    private static final Pattern RANGE = Pattern.compile("\\d\\w* to \\d");

    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    static Stream<String> commands() {
        return PARSER.getSubcommands().keySet().stream().filter(name -> !name.equals("help"));
    }

    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        WORD.matcher(line).results().forEach(word -> words.add(word.group(1) == null ? word.group(2) : word.group(1)));
        return words;
    }

    @ParameterizedTest
    @MethodSource("commands")
    void eachCommandHasExamplesThatParse(String name) {
        Map<String, CommandLine> commands = PARSER.getSubcommands();
        String[] footer = commands.get(name).getCommandSpec().usageMessage().footer();
        assertThat(footer).contains("Examples:");
        List<String> examples =
                Stream.of(footer).filter(line -> line.startsWith("  windrow ")).toList();
        assertThat(examples).as("examples of %s", name).isNotEmpty();
        for (String example : examples) {
            List<String> words = words(example.strip());
            assertThat(words).startsWith("windrow", name);
            Arguments arguments = Arguments.cut(words.subList(1, words.size()).toArray(String[]::new));
            CommandLine.ParseResult parsed = PARSER.parseArgs(arguments.words().toArray(String[]::new));
            assertThat(parsed.subcommand().commandSpec().name()).isEqualTo(name);
            assertThat(arguments.words())
                    .as("options of %s", example)
                    .filteredOn(word -> word.startsWith("--"))
                    .allSatisfy(
                            word -> assertThat(parsed.subcommand().commandSpec().findOption(word))
                                    .as(word)
                                    .isNotNull());
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpFitsATerminalOf80ColumnsAndWrapsNoLineOfItsFooter(String name) {
        assertFits(PARSER.getSubcommands().get(name));
    }

    @Test
    void theTopLevelHelpFitsATerminalOf80Columns() {
        assertFits(PARSER);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpIsPlainEnglish(String name) {
        assertThat(English.banned(PARSER.getSubcommands().get(name).getUsageMessage()))
                .isEmpty();
    }

    /** The form is "1 to 1000, default 10." Filters have no default, and repeatable options start empty. */
    @ParameterizedTest
    @MethodSource("commands")
    void optionsNameTheirDefaultAfterTheirRange(String name) {
        for (CommandLine.Model.OptionSpec option :
                PARSER.getSubcommands().get(name).getCommandSpec().options()) {
            String text = String.join(" ", option.description());
            if (RANGE.matcher(text).find()
                    && !option.typeInfo().isBoolean()
                    && !text.startsWith("Jobs ")
                    && !text.contains("Repeatable")) {
                assertThat(text).as(option.longestName()).contains("default ");
            }
            assertThat(text).as(option.longestName()).doesNotContain("defaults to", "if not given", "unless given");
        }
    }

    /** Lines that are broken by hand and then by the parser once more end in the middle of nowhere. */
    private static void assertFits(CommandLine command) {
        List<String> printed = command.getUsageMessage().lines().toList();
        assertThat(printed).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        String[] footer = command.getCommandSpec().usageMessage().footer();
        assertThat(printed.subList(printed.size() - footer.length, printed.size()))
                .containsExactly(footer);
    }
}
