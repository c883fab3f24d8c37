package dev.windrow.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Compares docs/cli.md with what the commands say of themselves. */
class CliDocTest {
    private static final Set<String> OF_ALL_COMMANDS = Set.of("--db", "--json", "--verbose", "--color", "--help");
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]+");

    private final String text = read();

    @Test
    void eachCommandHasASectionWithItsOptionsAndNoOthers() {
        for (String command : commands()) {
            Set<String> options = options(help(command));
            options.removeAll(OF_ALL_COMMANDS);
            Set<String> documented = new TreeSet<>();
            section(command)
                    .lines()
                    .filter(line -> line.startsWith("| `--"))
                    .map(line -> line.split("` \\|", 2)[0])
                    .forEach(cell -> documented.addAll(options(cell)));
            assertThat(documented).as("the options of %s", command).isEqualTo(options);
        }
    }

    @Test
    void noSectionIsAboutACommandThatIsNotThere() {
        Set<String> documented = new TreeSet<>();
        Pattern.compile("(?m)^## ([a-z]+)$").matcher(text).results().forEach(title -> documented.add(title.group(1)));
        assertThat(documented).isEqualTo(commands());
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
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        assertThat(Main.run(new Console(stream, stream), words)).isZero();
        return out.toString(StandardCharsets.UTF_8);
    }

    private static String read() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve("docs/cli.md"))) {
            folder = folder.getParent();
        }
        try {
            return Files.readString(
                    Objects.requireNonNull(folder, "no docs/cli.md above").resolve("docs/cli.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
