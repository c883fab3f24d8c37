package dev.windrow.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/** Compares docs/cli.md with the help of the commands; that of {@code bench} with the profile "bench" alone. */
@Once
class CliDocTest {
    /** One for all lines, because to make all commands takes tens of milliseconds. */
    private static final CommandLine PARSER = InProcess.parser();

    private static final Set<String> OF_ALL_COMMANDS = Set.of("--db", "--json", "--verbose", "--color", "--help");
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]+");

    private final String text = read();

    @Test
    void eachCommandHasASectionWithExactlyItsOptions() {
        for (String command : commands()) {
            if (InProcess.isAbsent(PARSER.getSubcommands().get(command))) {
                continue;
            }
            Set<String> options = options(help(command));
            options.removeAll(OF_ALL_COMMANDS);
            assertThat(documented(command)).as("the options of %s", command).isEqualTo(options);
        }
    }

    /** Returns the options of a section. Its row "[filters]" stands for all filters, or for all filters but the named ones. */
    private Set<String> documented(String section) {
        Set<String> documented = new TreeSet<>();
        for (String line : section(section).lines().toList()) {
            String[] cells = line.split(" \\| ", 2);
            if (line.startsWith("| [filters](#filters)")) {
                documented.addAll(documented("Filters"));
                String[] words = cells[0].split(" without |;");
                if (cells[0].contains(" without ")) {
                    documented.removeAll(options(words[1]));
                    documented.addAll(options(words[2]));
                } else {
                    documented.addAll(options(cells[0]));
                }
            } else if (line.startsWith("| `--")) {
                documented.addAll(options(cells[0]));
            } else if (line.startsWith("See help: ")) {
                documented.addAll(options(line));
            }
        }
        return documented;
    }

    @Test
    void eachSectionDescribesAnExistingCommand() {
        Set<String> documented = new TreeSet<>();
        Pattern.compile("(?m)^## ([a-z]+)$").matcher(text).results().forEach(title -> documented.add(title.group(1)));
        assertThat(documented).isEqualTo(commands());
    }

    /** Of what stands in code, in blocks and in sentences: the words are parsed, and nothing is run. */
    @Test
    void eachCommandLineInTheDocumentsParses() throws IOException {
        List<String> wrong = new ArrayList<>();
        int lines = 0;
        for (Path document : documents()) {
            for (String line : commandLines(Files.readString(document))) {
                lines++;
                String problem = problem(Arguments.cut(words(line)).words());
                if (problem != null) {
                    wrong.add(root().relativize(document) + ": " + line + ": " + problem);
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(lines).isGreaterThan(100);
    }

    private static @Nullable String problem(List<String> words) {
        try {
            CommandLine.ParseResult command =
                    PARSER.parseArgs(words.toArray(String[]::new)).subcommand();
            // Some commands take for a payload what begins with a hyphen.
            return words.stream()
                    .filter(word -> word.startsWith("--") && command != null)
                    .filter(word -> !InProcess.isAbsent(command.commandSpec().commandLine()))
                    .map(word -> word.replaceFirst("=.*", ""))
                    .filter(word -> command.commandSpec().findOption(word) == null)
                    .findFirst()
                    .orElse(null);
        } catch (MissingParameterException e) {
            return null; // a sentence may name a command without what it takes
        } catch (ParameterException e) {
            return e.getMessage();
        }
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>(List.of(root().resolve("README.md"), root().resolve("CHANGELOG.md")));
        for (String folder : List.of("docs", "examples")) {
            try (Stream<Path> files = Files.walk(root().resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
            }
        }
        return documents;
    }

    /** What follows {@code windrow} in a line of a block, up to its comment or pipe, and in backquotes. */
    private static List<String> commandLines(String text) {
        List<String> lines = new ArrayList<>();
        Pattern.compile("(?m)^ *(?:[A-Z_]+=\\S+ )*(?:\\./)?windrow ([^\n]*)$|`(?:\\./)?windrow ([^`\n]*)`")
                .matcher(text)
                .results()
                .map(match -> match.group(1) == null ? match.group(2) : match.group(1))
                .map(line -> line.replaceFirst("(?: #| \\|| >|\\) ).*", "").strip())
                // Sentences that begin a line with the name, and what stands for any command.
                .filter(line ->
                        line.matches("(?:--\\w+|[a-z]+)(?: .*|$)") && !line.matches("[a-z]+ [a-z]+ [a-z]+ .*[.:]"))
                .forEach(lines::add);
        return lines;
    }

    /** As a shell cuts it, as far as the documents need one. */
    private static String[] words(String line) {
        return Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^\\s'\"])+")
                .matcher(line)
                .results()
                .map(word -> word.group().replaceAll("['\"]", ""))
                .toArray(String[]::new);
    }

    private static Set<String> commands() {
        String help = help();
        Set<String> commands = new TreeSet<>();
        Pattern.compile("(?m)^  ([a-z]+) {2,}\\S")
                .matcher(help.substring(help.indexOf("Commands:")))
                .results()
                .forEach(line -> commands.add(line.group(1)));
        commands.remove("help");
        return commands;
    }

    private static Set<String> options(String text) {
        Set<String> options = new TreeSet<>();
        OPTION.matcher(text).results().forEach(option -> options.add(option.group()));
        return options;
    }

    private String section(String command) {
        int start = text.indexOf("\n## " + command + "\n");
        assertThat(start).as("the section of %s", command).isNotNegative();
        int end = text.indexOf("\n## ", start + 1);
        return end < 0 ? text.substring(start) : text.substring(start, end);
    }

    private static String help(String... command) {
        String[] words = Arrays.copyOf(command, command.length + 1);
        words[command.length] = "--help";
        InProcess windrow = new InProcess(Path.of(""), Map.of(), InputStream.nullInputStream());
        assertThat(windrow.run(words)).isZero();
        return windrow.out();
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve("docs/cli.md"))) {
            folder = folder.getParent();
        }
        return Objects.requireNonNull(folder, "no docs/cli.md above");
    }

    private static String read() {
        try {
            return Files.readString(root().resolve("docs/cli.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
