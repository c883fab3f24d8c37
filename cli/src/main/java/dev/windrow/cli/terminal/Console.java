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
 * The environment of a command: its streams, its working folder, its variables, its signals. They belong to the
 * process, or to a test that runs commands in its own process. The output contains nothing that controls a terminal
 * ({@link SafeStream}).
 */
public final class Console {
    /** The width of tables without a terminal. */
    static final int DEFAULT_WIDTH = 80;

    private static final int LEAST_WIDTH = 20;

    /** The lines of a screen without a terminal. */
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
     * Takes over the process's own streams. The output of other code (logging, progress, handlers of users) goes to
     * stderr, so that stdout contains only results. Both are UTF-8 with any locale, so that scripts can rely on it.
     */
    public static Console takeOver() {
        PrintStream out = new PrintStream(new BufferedOutputStream(new Stdout()), false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        // No folder: paths stay unchanged, and so do messages about them.
        Console console = new Console(out, err, System.in, Path.of(""), System.getenv(), Signals::hearProcess, true);
        System.setOut(console.err);
        System.setErr(console.err);
        return console;
    }

    /**
     * Returns a console that is not the process's, so that many commands can run in one process, each in its own
     * folder.
     *
     * @param signals gets each listener to signals
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

    /** The stream for results. */
    public PrintStream out() {
        return out;
    }

    /** The stream for all other output. */
    public PrintStream err() {
        return err;
    }

    /** The working folder, to which relative paths refer; empty for the process's own. */
    public Path folder() {
        return folder;
    }

    /**
     * Resolves a path of the user against the working folder.
     *
     * @throws java.nio.file.InvalidPathException if the text is not a path
     */
    public Path path(String text) {
        return folder.resolve(text);
    }

    /** The environment, as the JVM has read it. */
    public Map<String, String> environment() {
        return environment;
    }

    /**
     * Returns a variable of the environment; null if it is not set.
     *
     * @throws UsageException if it is not UTF-8
     */
    @Nullable public String variable(String name) {
        return Utf8.variable(environment, name);
    }

    /** The receiver of each listener to signals. */
    public Consumer<Signals> signals() {
        return signals;
    }

    /** True if this is the console of the process. */
    public boolean isProcess() {
        return process;
    }

    /** Sets when to use colours. Must run before the first output. */
    public void choose(Ink.Choice wanted) {
        color = wanted;
    }

    Ink.Choice color() {
        return color;
    }

    /** The standard input; null if the process has none. */
    @Nullable public InputStream stdin() {
        return process && !hasStdin() ? null : in;
    }

    /**
     * The stream to stdout, which reports on stderr why the output did not arrive. It reports nothing when the reader
     * has ended ("| head").
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
                    told = true; // once, although more writes may follow
                    System.err.println(
                            "windrow: cannot write to stdout: " + e.getMessage() + "; the output is incomplete");
                }
                throw e;
            }
        }
    }

    /**
     * True if this process has a stdin. Without one, the first file that the JVM opened for itself has descriptor 0
     * and would be read instead. Only the Linux kernel shows this; on other systems the result is true.
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

    /** True if stdin and stdout are a terminal that can draw: it shows the output and sends keys. */
    public boolean isTerminal() {
        String term = environment.get("TERM");
        return outIsTerminal() && isTerminal(0) && term != null && !term.equals("dumb");
    }

    public boolean errIsTerminal() {
        return isTerminal(2);
    }

    /**
     * True if a descriptor is a terminal. System.console() does not distinguish stdout from stderr, and it exists for
     * a pipe too on newer JDKs. The kernel shows the descriptor as a link. Without that link (macOS, Windows) the
     * console decides, if the JVM is old enough.
     */
    @SuppressWarnings("SystemConsoleNull") // not called on versions where it is never null
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

    /**
     * The maximum width of lines. Without a terminal nothing is cut, because a file or another program gets the
     * output.
     */
    public int tableWidth() {
        return outIsTerminal() ? width() : Integer.MAX_VALUE;
    }

    /** The columns of the terminal, by stty, because the JDK does not provide them. */
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

    /** The maximum number of lines of a frame without a terminal. */
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
