package dev.windrow.cli;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Where the command line writes: both streams in UTF-8 whatever the locale, so that scripts can rely on it, and without
 * anything that a terminal would obey ({@link SafeStream}).
 *
 * @param out results
 * @param err everything else
 */
record Console(PrintStream out, PrintStream err) {
    /** The width of tables where there is no terminal to ask. */
    static final int DEFAULT_WIDTH = 80;

    private static final int LEAST_WIDTH = 20;

    /** The lines of a screen, where there is no terminal to ask. */
    static final int DEFAULT_HEIGHT = 40;

    Console {
        out = SafeStream.over(out);
        err = SafeStream.over(err);
    }

    /**
     * Takes over the process's own streams. What others print (logging, progress, handlers of users) goes to stderr, so
     * that stdout holds results and nothing else.
     */
    static Console takeOver() {
        PrintStream out = new PrintStream(new BufferedOutputStream(new Stdout()), false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        Console console = new Console(out, err);
        System.setOut(console.err());
        System.setErr(console.err());
        return console;
    }

    /**
     * Tells why what was printed did not arrive. When the reader went away ("| head") nobody wants to know, and nothing is
     * said.
     */
    private static final class Stdout extends FileOutputStream {
        private boolean told;

        Stdout() {
            super(FileDescriptor.out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                super.write(bytes, offset, length);
            } catch (IOException e) {
                if (!told && !String.valueOf(e.getMessage()).contains("Broken pipe")) {
                    told = true; // once, however much is still to be written
                    System.err.println("windrow: stdout cannot be written: " + e.getMessage()
                            + "; what arrived there is not all of it");
                }
                throw e;
            }
        }
    }

    /**
     * Whether this process was given a stdin. Where it was not, the first file that the JVM opened for itself has its
     * number, and would be read in its place. Only the kernel of Linux tells; elsewhere the answer is yes.
     */
    static boolean hasStdin() {
        Path descriptors = Path.of("/proc/self/fd");
        if (!Files.isDirectory(descriptors)) {
            return true;
        }
        try {
            Path jvms = Path.of(System.getProperty("java.home"), "lib", "modules");
            return !Files.isSameFile(descriptors.resolve("0"), jvms);
        } catch (NoSuchFileException e) {
            return Files.exists(descriptors.resolve("0"), LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            return true;
        }
    }

    boolean outIsTerminal() {
        return isTerminal(1);
    }

    /** Whether somebody sits at a terminal that can be drawn on: who reads, and presses keys. */
    boolean isTerminal() {
        String term = System.getenv("TERM");
        return outIsTerminal() && isTerminal(0) && term != null && !term.equals("dumb");
    }

    boolean errIsTerminal() {
        return isTerminal(2);
    }

    /**
     * System.console() does not tell stdout from stderr, and says "terminal" for a pipe on newer JDKs; the kernel's own
     * answer is a link. Without one (macOS, Windows) the console counts when the JVM is old enough to mean it.
     */
    @SuppressWarnings("SystemConsoleNull") // not asked where it never is null
    private static boolean isTerminal(int descriptor) {
        Path link = Path.of("/proc/self/fd/" + descriptor);
        if (Files.isSymbolicLink(link)) {
            try {
                String target = Files.readSymbolicLink(link).toString();
                return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
            } catch (IOException e) {
                return false;
            }
        }
        return Runtime.version().feature() < 22 && System.console() != null;
    }

    /** How wide lines may be: without a terminal nothing is cut, for a file or another program gets it. */
    int tableWidth() {
        return outIsTerminal() ? width() : Integer.MAX_VALUE;
    }

    /** The columns of the terminal, asked from stty: the JDK does not know. */
    int width() {
        if (!outIsTerminal()) {
            return fromEnvironment("COLUMNS", DEFAULT_WIDTH);
        }
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            stty.waitFor(1, TimeUnit.SECONDS);
            int columns = Integer.parseInt(answer.strip().replaceFirst("^\\d+ ", ""));
            return columns >= LEAST_WIDTH ? columns : DEFAULT_WIDTH;
        } catch (IOException | NumberFormatException e) {
            return DEFAULT_WIDTH;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return DEFAULT_WIDTH;
        }
    }

    /** How many lines one frame may have where there is no terminal to ask. */
    static int height() {
        return fromEnvironment("LINES", DEFAULT_HEIGHT);
    }

    private static int fromEnvironment(String name, int otherwise) {
        String value = System.getenv(name);
        if (value == null || !value.matches("[0-9]{1,4}")) {
            return otherwise;
        }
        return Math.max(LEAST_WIDTH, Integer.parseInt(value));
    }
}
