package dev.windrow.cli.terminal;

import dev.windrow.cli.Signals;
import dev.windrow.cli.UsageException;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The surroundings of a command: where it reads and writes, its working folder, its environment, its signals. The process's own, or those of a test
 * that runs commands in its own process. What it writes has nothing that a terminal would obey ({@link SafeStream}).
 */
public final class Console {
    /** The width of tables where there is no terminal to ask. */
    static final int DEFAULT_WIDTH = 80;

    private static final int LEAST_WIDTH = 20;

    /** The lines of a screen, where there is no terminal to ask. */
    static final int DEFAULT_HEIGHT = 40;

    private final PrintStream out;
    private final PrintStream err;
    private final InputStream in;
    private final Path folder;
    private final Map<String, String> environment;
    private final Consumer<Signals> signals;
    private final boolean process;
    private volatile Ink.Choice color = Ink.Choice.AUTO;

    private Console(
            PrintStream out,
            PrintStream err,
            InputStream in,
            Path folder,
            Map<String, String> environment,
            Consumer<Signals> signals,
            boolean process) {
        this.out = SafeStream.over(out);
        this.err = SafeStream.over(err);
        this.in = in;
        this.folder = folder;
        this.environment = environment;
        this.signals = signals;
        this.process = process;
    }

    /**
     * Takes over the process's own streams. What others print (logging, progress, handlers of users) goes to stderr, so
     * that stdout holds results and nothing else. Both are UTF-8 whatever the locale, so that scripts can rely on it.
     */
    public static Console takeOver() {
        PrintStream out = new PrintStream(new BufferedOutputStream(new Stdout()), false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        // No folder: paths stay as they were given, and so does what is said of them.
        Console console = new Console(out, err, System.in, Path.of(""), System.getenv(), Signals::hearProcess, true);
        System.setOut(console.err);
        System.setErr(console.err);
        return console;
    }

    /**
     * One that is not the process's, so that many commands can run in one process, each in a folder of its own.
     *
     * @param signals told of all that listens to signals
     */
    public static Console of(
            PrintStream out,
            PrintStream err,
            InputStream in,
            Path folder,
            Map<String, String> environment,
            Consumer<Signals> signals) {
        return new Console(out, err, in, folder, environment, signals, false);
    }

    /** Where results go. */
    public PrintStream out() {
        return out;
    }

    /** Where everything else goes. */
    public PrintStream err() {
        return err;
    }

    /** The working folder, where relative paths begin; empty for the process's own. */
    public Path folder() {
        return folder;
    }

    /**
     * A path of a user's, from the working folder.
     *
     * @throws java.nio.file.InvalidPathException if the text is none
     */
    public Path path(String text) {
        return folder.resolve(text);
    }

    /** The environment, as the JVM has read it. */
    public Map<String, String> environment() {
        return environment;
    }

    /**
     * A variable of the environment; null when it is not set.
     *
     * @throws UsageException if it is not UTF-8
     */
    @Nullable public String variable(String name) {
        return Utf8.variable(environment, name);
    }

    /** Told of all that listens to signals. */
    public Consumer<Signals> signals() {
        return signals;
    }

    /** Whether these are the process's own. */
    public boolean isProcess() {
        return process;
    }

    /** What the options say of colours. Must run before anything is printed. */
    public void choose(Ink.Choice wanted) {
        color = wanted;
    }

    Ink.Choice color() {
        return color;
    }

    /** Null when the process was given none. */
    @Nullable public InputStream stdin() {
        return process && !hasStdin() ? null : in;
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
    private static boolean hasStdin() {
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

    public boolean outIsTerminal() {
        return isTerminal(1);
    }

    /** Whether somebody sits at a terminal that can be drawn on: who reads, and presses keys. */
    public boolean isTerminal() {
        String term = environment.get("TERM");
        return outIsTerminal() && isTerminal(0) && term != null && !term.equals("dumb");
    }

    public boolean errIsTerminal() {
        return isTerminal(2);
    }

    /**
     * System.console() does not tell stdout from stderr, and says "terminal" for a pipe on newer JDKs; the kernel's own
     * answer is a link. Without one (macOS, Windows) the console counts when the JVM is old enough to mean it.
     */
    @SuppressWarnings("SystemConsoleNull") // not asked where it never is null
    private boolean isTerminal(int descriptor) {
        if (!process) {
            return false;
        }
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
    public int tableWidth() {
        return outIsTerminal() ? width() : Integer.MAX_VALUE;
    }

    /** The columns of the terminal, asked from stty: the JDK does not know. */
    public int width() {
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
    public int height() {
        return fromEnvironment("LINES", DEFAULT_HEIGHT);
    }

    private int fromEnvironment(String name, int defaultValue) {
        String value = environment.get(name);
        if (value == null || !value.matches("[0-9]{1,4}")) {
            return defaultValue;
        }
        return Math.max(LEAST_WIDTH, Integer.parseInt(value));
    }
}
