package dev.windrow.cli;

import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The settings from the environment and from the user's configuration file. {@code WINDROW_CONFIG} names the file.
 * Without it the file is {@code windrow/config} below {@code XDG_CONFIG_HOME}, or below {@code ~/.config} if that
 * variable is not set. It contains lines of {@code key = value}. A variable takes precedence over the file.
 */
public final class Config {
    private static final String VARIABLE = "WINDROW_CONFIG";

    /**
     * A value from the environment or from the file.
     *
     * @param text the value
     * @param from {@code environment} or {@code file}
     * @param origin the variable, or the file and the line
     */
    public record Given(String text, String from, String origin) {}

    private final UnaryOperator<@Nullable String> environment;
    private final Path folder;
    private final @Nullable Path file;
    private final Map<Setting, Given> lines;

    private Config(
            UnaryOperator<@Nullable String> environment, Path folder, @Nullable Path file, Map<Setting, Given> lines) {
        this.environment = environment;
        this.folder = folder;
        this.file = file;
        this.lines = lines;
    }

    /**
     * Reads the settings. A variable with an empty value counts as not set, as in a script.
     *
     * @param folder the working folder
     */
    static Config read(UnaryOperator<@Nullable String> environment, Path folder) {
        String named = environment.apply(VARIABLE);
        if (named != null && !named.isEmpty()) {
            Path file = path(folder, named);
            return new Config(environment, folder, file, lines(file, true));
        }
        Path file = usual(environment);
        Map<Setting, Given> lines = file == null ? Map.of() : lines(file, false);
        return new Config(environment, folder, file != null && Files.exists(file) ? file : null, lines);
    }

    private static @Nullable Path usual(UnaryOperator<@Nullable String> environment) {
        String folder = environment.apply("XDG_CONFIG_HOME");
        String home = environment.apply("HOME");
        try {
            // The XDG convention ignores a folder that is not absolute.
            if (folder != null && Path.of(folder).isAbsolute()) {
                return Path.of(folder, "windrow", "config");
            }
            return home == null || home.isEmpty() ? null : Path.of(home, ".config", "windrow", "config");
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private static Path path(Path folder, String text) {
        try {
            return folder.resolve(text);
        } catch (InvalidPathException e) {
            throw new FailedException(
                    "'%s' (%s) is not a valid path: %s".formatted(TerminalText.oneLine(text), VARIABLE, e.getReason()));
        }
    }

    private static Map<Setting, Given> lines(Path file, boolean named) {
        String name = TerminalText.oneLine(file.toString());
        Map<Setting, Given> lines = new EnumMap<>(Setting.class);
        List<String> texts;
        try {
            texts = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            if (!named) {
                return lines;
            }
            throw new FailedException("configuration file '%s' (%s) does not exist; create it or unset the variable"
                    .formatted(name, VARIABLE));
        } catch (CharacterCodingException e) {
            throw new FailedException("configuration file '%s' is not UTF-8; save it as UTF-8".formatted(name));
        } catch (IOException e) {
            if (!named && e instanceof FileSystemException && !Files.exists(file)) {
                // The user of a service may have no home, or one that it cannot read. Then there is no configuration.
                // An existing file counts.
                return lines;
            }
            throw new FailedException("cannot read configuration file '%s': %s".formatted(name, Reasons.of(e)), e);
        }
        for (int i = 0; i < texts.size(); i++) {
            String line = texts.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                add(lines, line, name + ", line " + (i + 1));
            }
        }
        return lines;
    }

    private static void add(Map<Setting, Given> lines, String line, String origin) {
        int middle = line.indexOf('=');
        if (middle < 0) {
            throw new UsageException(
                    "%s: the line has no =; write 'key = value', or begin a comment with #".formatted(origin));
        }
        String key = line.substring(0, middle).strip();
        Setting setting = Setting.named(key);
        if (setting == null) {
            throw new UsageException("%s: unknown setting '%s'; settings: %s%s"
                    .formatted(
                            origin,
                            TerminalText.oneLine(key),
                            Setting.allKeys(),
                            key.toLowerCase(Locale.ROOT).contains("password")
                                    ? " (put a password into a file of its own and name it with db-password-file)"
                                    : ""));
        }
        String value = line.substring(middle + 1).strip();
        if (value.isEmpty()) {
            throw new UsageException("%s: %s has no value; give one or delete the line".formatted(origin, key));
        }
        Given before = lines.put(setting, new Given(value, "file", origin));
        if (before != null) {
            throw new UsageException(
                    "%s: %s is already set in %s; delete one of the lines".formatted(origin, key, before.origin));
        }
    }

    /** The working folder, to which relative paths refer. */
    public Path folder() {
        return folder;
    }

    /** The file that was read; null if none exists. */
    @Nullable Path file() {
        return file;
    }

    /** Returns the value of a setting from the environment or the file; null if neither has one. */
    @Nullable public Given given(Setting setting) {
        String value = variable(setting.variable);
        return value != null ? new Given(value, "environment", setting.variable) : lines.get(setting);
    }

    /**
     * Returns the value of a setting for the database of this option or variable. The target of a copy may have its
     * own user, password and tables.
     */
    @Nullable public Given given(String source, Setting setting) {
        String name = setting.variable.replace("WINDROW_DB_", "WINDROW_TO_");
        String own = source.equals("--to") ? variable(name) : null;
        return own == null ? given(setting) : new Given(own, "environment", name);
    }

    /** Returns a variable of the environment; null if it is not set or empty. */
    @Nullable public String variable(String name) {
        String value = environment.apply(name);
        return value == null || value.isEmpty() ? null : value;
    }

    /** True if a switch is on. */
    boolean isOn(Setting setting) {
        Given given = given(setting);
        if (given == null) {
            return false;
        }
        return switch (given.text.toLowerCase(Locale.ROOT)) {
            case "true", "1", "yes", "on" -> true;
            case "false", "0", "no", "off" -> false;
            default -> throw Values.notAllowed(given.origin, given.text, "true, false");
        };
    }
}
