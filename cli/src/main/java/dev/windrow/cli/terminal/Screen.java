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
 * The terminal, taken whole: what is shown replaces what was there, and only what differs is written, so that nothing flickers. Closed, it is
 * as it was before.
 */
final class Screen implements AutoCloseable {
    /** No key was pressed. */
    static final int NONE = -2;
    /** Nobody is there to press one any more. */
    static final int END = -1;

    private final Terminal terminal;
    private final Attributes before;
    private final Display display;
    private volatile boolean resized = true;
    private volatile boolean stopping;
    private volatile boolean continued;
    /** True while the other screen is shown. */
    private boolean taken;

    private Size size = new Size(Console.DEFAULT_WIDTH, Console.DEFAULT_HEIGHT);

    /** Takes the terminal of this process: where {@link Console#isTerminal} says that there is one. */
    Screen() throws IOException {
        // By stty, which is wherever a terminal is, and not by native code.
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

    /** The other screen once: the terminal remembers where the cursor was before. That the process goes on may be heard of later than it does. */
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
     * Stops the process if somebody wants that (Ctrl-Z), with the terminal as it was before; and takes the terminal again when the process goes on, or has gone
     * on after somebody had stopped it without asking. Then everything is to be shown anew.
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

    /** Whether the size has changed since it was asked for last. */
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

    /** Shows these lines; those for which there is no room are left out, and each is cut at the edge. */
    void show(List<String> lines) {
        measure();
        List<AttributedString> shown = new ArrayList<>();
        for (String line : lines.subList(0, Math.min(lines.size(), size.getRows()))) {
            shown.add(AttributedString.fromAnsi(SafeStream.shown(line)).columnSubSequence(0, size.getColumns()));
        }
        display.update(shown, 0);
    }

    /** Waits for a key; {@link #NONE} when there was none within this time. */
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
