package dev.windrow.cli;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import org.jspecify.annotations.Nullable;

/** How this program was called, for hints that can be pasted into the same shell. */
public final class Program {
    private Program() {}

    /** The checkout that the launcher ran it from, or null. */
    public static @Nullable Path home() {
        String home = System.getProperty("windrow.home");
        return home == null || home.isEmpty() ? null : Path.of(home);
    }

    /** The words before the command. */
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

    /** A word as a POSIX shell takes it. */
    public static String quoted(String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
