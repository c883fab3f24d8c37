package dev.windrow.cli.terminal;

import dev.windrow.cli.Signals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;

/**
 * The whole terminal as a screen. Each frame replaces the one before, and only the differences are written, so that
 * nothing flickers. After {@code close} the terminal is as before.
 */
final class Screen implements AutoCloseable {
    /** The result of {@link #key} without a key. */
    static final int NONE = -2;
    /** The result of {@link #key} when the terminal was closed. */
    static final int END = -1;

    private final Terminal terminal;
    private final Attributes before;
    private final Display display;
    private volatile boolean resized = true;
    private volatile boolean stopping;
    private volatile boolean continued;
    /** True while the alternate screen is shown. */
    private boolean taken;

    private Size size = new Size(Console.DEFAULT_WIDTH, Console.DEFAULT_HEIGHT);

    /** Takes the terminal of this process; only if {@link Console#isTerminal}. */
    Screen() throws IOException {
        // By stty, which exists on each system with a terminal, and not by native code.
        terminal = TerminalBuilder.builder()
                .system(true)
                .provider("exec")
                .encoding(StandardCharsets.UTF_8)
                .nativeSignals(false)
                .build();
        Signals.listenToSize(() -> resized = true);
        Signals.listenToStops(() -> stopping = true, () -> continued = true);
        before = terminal.enterRawMode();
        display = new Display(terminal, true);
        take();
    }

    /**
     * Switches to the alternate screen, once, because the terminal stores the cursor's position before it. The
     * notification that the process continues may come later than it does.
     */
    private void take() {
        if (!taken) {
            terminal.puts(Capability.enter_ca_mode);
            taken = true;
        }
        terminal.puts(Capability.cursor_invisible);
        terminal.flush();
    }

    private void giveBack() {
        terminal.puts(Capability.cursor_visible);
        terminal.puts(Capability.exit_ca_mode);
        terminal.flush();
        taken = false;
        terminal.setAttributes(before);
    }

    /**
     * Stops the process if the user has asked for it (Ctrl-Z), with the terminal as before. Takes the terminal again
     * when the process continues, also after a stop without a request. Then the whole screen must be drawn again.
     */
    void stopIfAsked() {
        if (stopping) {
            stopping = false;
            giveBack();
            Signals.stopNow(() -> stopping = true);
            continued = true;
        }
        if (continued) {
            continued = false;
            terminal.enterRawMode();
            take();
            resized = true;
        }
    }

    /** True if the size has changed since the last measurement. */
    boolean isResized() {
        return resized;
    }

    int width() {
        measure();
        return size.getColumns();
    }

    int height() {
        measure();
        return size.getRows();
    }

    private void measure() {
        if (resized) {
            resized = false;
            Size now = terminal.getSize();
            size = new Size(
                    now.getColumns() > 0 ? now.getColumns() : Console.DEFAULT_WIDTH,
                    now.getRows() > 0 ? now.getRows() : Console.DEFAULT_HEIGHT);
            display.resize(size.getRows(), size.getColumns());
            display.clear();
        }
    }

    /** Shows these lines. Lines that do not fit are left out, and each line is cut at the edge. */
    void show(List<String> lines) {
        measure();
        List<AttributedString> shown = new ArrayList<>();
        for (String line : lines.subList(0, Math.min(lines.size(), size.getRows()))) {
            shown.add(AttributedString.fromAnsi(SafeStream.shown(line)).columnSubSequence(0, size.getColumns()));
        }
        display.update(shown, 0);
    }

    /** Waits for a key and returns it; {@link #NONE} if none was pressed within this time. */
    int key(long millis) throws IOException {
        int key = terminal.reader().read(millis);
        return key == -2 ? NONE : key;
    }

    @Override
    public void close() throws IOException {
        Signals.listenToStopsNoMore();
        giveBack();
        terminal.close();
    }
}
