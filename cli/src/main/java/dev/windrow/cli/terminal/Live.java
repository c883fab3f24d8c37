package dev.windrow.cli.terminal;

import dev.windrow.cli.Signals;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Shows a view repeatedly until q, Ctrl-C or a signal. On a terminal each frame replaces the one before. Without a
 * terminal the frames follow one another, with an empty line between them.
 */
public final class Live {
    /** The interval of checks for a resized terminal or a signal. */
    private static final long LOOK_MILLIS = 200;

    /** The view. */
    public interface Frame {
        /**
         * Returns the current lines.
         *
         * @param height the lines that fit; more are cut
         */
        List<String> lines(int width, int height, Ink ink);
    }

    private final Console console;
    private final Duration every;
    private final CountDownLatch stopped = new CountDownLatch(1);

    public Live(Console console, Duration every) {
        this.console = console;
        this.every = every;
    }

    /** Shows the view until the user or a signal ends it. */
    public void run(Frame frame) throws IOException {
        Signals signals = Signals.listen(console, stopped::countDown, stopped::countDown);
        try {
            if (console.isTerminal()) {
                try (Screen screen = new Screen()) {
                    inPlace(screen, frame);
                }
            } else {
                oneAfterAnother(frame);
            }
        } finally {
            signals.ended();
        }
    }

    private void inPlace(Screen screen, Frame frame) throws IOException {
        Ink ink = Ink.of(console);
        while (stopped.getCount() > 0) {
            long until = System.nanoTime() + every.toNanos();
            screen.show(frame.lines(screen.width(), screen.height(), ink));
            long left = every.toMillis();
            while (left > 0 && stopped.getCount() > 0 && !screen.isResized()) {
                int key = screen.key(Math.min(left, LOOK_MILLIS));
                screen.stopIfAsked();
                if (key == 'q' || key == 'Q' || key == Screen.END) {
                    return;
                }
                left = key == ' ' || key == 'r' ? 0 : TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
            }
        }
    }

    private void oneAfterAnother(Frame frame) {
        boolean first = true;
        do {
            if (!first) {
                console.out().println();
            }
            first = false;
            frame.lines(console.tableWidth(), Integer.MAX_VALUE, Ink.of(console))
                    .forEach(console.out()::println);
            // The reader may have ended: then the output has no reader any more.
            if (console.out().checkError()) {
                return;
            }
        } while (!isStopped());
    }

    private boolean isStopped() {
        try {
            return stopped.await(every.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Returns the lines that the callback prints. */
    public static List<String> lines(Consumer<PrintStream> printing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        printing.accept(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
