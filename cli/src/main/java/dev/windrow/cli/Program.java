package dev.windrow.cli;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import org.jspecify.annotations.Nullable;

/** The call of this program, for hints that the user can paste into the same shell. */
public final class Program {
    private Program() {}

    /** Returns the checkout from which the launcher ran the program; null if there was none. */
    public static @Nullable Path home() {
        String home = System.getProperty("windrow.home");
        return home == null || home.isEmpty() ? null : Path.of(home);
    }

    /** Returns the words before the command. */
    public static String name() {
        Path home = home();
        Path here = Path.of("").toAbsolutePath();
        if (home != null) {
            return home.toAbsolutePath().equals(here)
                    ? "./windrow"
                    : quoted(home.resolve("windrow").toString());
        }
        CodeSource source = Program.class.getProtectionDomain().getCodeSource();
        try {
            Path jar = source == null
                    ? null
                    : Path.of(source.getLocation().toURI()).toAbsolutePath();
            if (jar == null || !jar.toString().endsWith(".jar")) {
                return "windrow";
            }
            return "java -jar " + quoted((jar.startsWith(here) ? here.relativize(jar) : jar).toString());
        } catch (URISyntaxException e) {
            return "windrow";
        }
    }

    /** Returns a word in the quoting of a POSIX shell. */
    public static String quoted(String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
