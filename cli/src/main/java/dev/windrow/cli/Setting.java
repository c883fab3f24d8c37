package dev.windrow.cli;

import dev.windrow.cli.database.PasswordFile;
import dev.windrow.cli.database.Target;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings that a user can make once for all commands: by a variable of the environment, or by a line of the
 * configuration file.
 */
public enum Setting {
    DB("db", "WINDROW_DB", Target.DEFAULT_FILE),
    DB_USER("db-user", "WINDROW_DB_USER", null),
    DB_PASSWORD_FILE("db-password-file", PasswordFile.VARIABLE, null),
    DB_SCHEMA("db-schema", "WINDROW_DB_SCHEMA", "public"),
    DB_TABLE_PREFIX("db-table-prefix", "WINDROW_DB_TABLE_PREFIX", Target.DEFAULT_PREFIX),
    EVENTS("events", "WINDROW_EVENTS", "all"),
    COLOR("color", "WINDROW_COLOR", "auto"),
    VERBOSE("verbose", "WINDROW_VERBOSE", "false");

    /** The name in the file. If there is an option for it, the option has the same name. */
    final String key;
    /** The environment variable. */
    public final String variable;
    /** The value without a setting; null if there is none. */
    final @Nullable String defaultValue;

    Setting(String key, String variable, @Nullable String defaultValue) {
        this.key = key;
        this.variable = variable;
        this.defaultValue = defaultValue;
    }

    static @Nullable Setting named(String key) {
        return Arrays.stream(values())
                .filter(each -> each.key.equals(key))
                .findFirst()
                .orElse(null);
    }

    static String allKeys() {
        return Arrays.stream(values()).map(each -> each.key).collect(Collectors.joining(", "));
    }
}
