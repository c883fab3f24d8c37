package dev.windrow.cli;

import dev.windrow.cli.database.PostgresUrl;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.wire.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code config}: shows the settings in effect and the origin of each. */
@Command(
        name = "config",
        description = "Shows the settings in effect and the origin of each.",
        footer = {
            "",
            "Opens no database. Precedence: option, environment, configuration file, default.",
            "$WINDROW_CONFIG names the file. Without it, it is windrow/config in",
            "$XDG_CONFIG_HOME or in ~/.config. It has lines of 'key = value'; # begins a",
            "comment line.",
            "",
            "Examples:",
            "  windrow config",
            "  windrow config --json"
        })
final class ConfigCommand extends CliCommand {
    private static final String HIDDEN = "...";

    /**
     * A setting in effect.
     *
     * @param name its name in the file
     * @param variable its variable
     * @param value its value, without secrets; null if it has none
     * @param from {@code option}, {@code environment}, {@code file} or {@code default}
     * @param origin the option, the variable, or the file and the line; null for a default
     */
    private record Row(
            String name,
            String variable,
            @Nullable String value,
            String from,
            @Nullable String origin) {}

    ConfigCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        Config config = config();
        List<Row> rows = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            rows.add(row(config, setting));
        }
        boolean password = config.variable("WINDROW_DB_PASSWORD") != null;
        rows.add(new Row(
                "db-password",
                "WINDROW_DB_PASSWORD",
                password ? HIDDEN : null,
                password ? "environment" : "default",
                password ? "WINDROW_DB_PASSWORD" : null));
        Path file = config.file();
        if (json()) {
            out().println(new JsonObject()
                    .put("file", file == null ? null : file.toString())
                    .put(
                            "settings",
                            rows.stream()
                                    .map(row -> new JsonObject()
                                            .put("name", row.name)
                                            .put("variable", row.variable)
                                            .put("value", row.value)
                                            .put("from", row.from)
                                            .put("origin", row.origin))
                                    .toList()));
            return;
        }
        Table table = new Table("SETTING", "FROM", "VALUE");
        rows.forEach(row ->
                table.row(row.name, row.origin == null ? row.from : row.origin, row.value == null ? "-" : row.value));
        table.print(out(), Integer.MAX_VALUE, Ink.of(console()));
        out().println();
        out().println(
                        file == null
                                ? "No configuration file."
                                : "Configuration file: " + TerminalText.oneLine(file.toString()));
    }

    private Row row(Config config, Setting setting) {
        String option = option(setting);
        if (option != null) {
            return new Row(setting.key, setting.variable, shown(setting, option), "option", "--" + setting.key);
        }
        Config.Given given = config.given(setting);
        return given == null
                ? new Row(setting.key, setting.variable, setting.defaultValue, "default", null)
                : new Row(setting.key, setting.variable, shown(setting, given.text()), given.from(), given.origin());
    }

    /**
     * Returns a value without passwords. An unsupported URL is cut after its scheme, because the place of its
     * password is not known.
     */
    private static String shown(Setting setting, String text) {
        if (setting != Setting.DB) {
            return Secrets.hidden(text);
        }
        if (text.regionMatches(true, 0, "jdbc:postgresql:", 0, "jdbc:postgresql:".length())) {
            try {
                return PostgresUrl.parse("--db", text).shown();
            } catch (UsageException e) {
                return "jdbc:postgresql:...";
            }
        }
        int scheme = text.indexOf("://");
        return scheme >= 0 ? text.substring(0, scheme) + "://..." : Secrets.hidden(text);
    }

    private @Nullable String option(Setting setting) {
        return switch (setting) {
            case DB -> namedTarget();
            case COLOR -> namedColor();
            case VERBOSE -> verboseIsNamed() ? "true" : null;
            default -> null;
        };
    }
}
