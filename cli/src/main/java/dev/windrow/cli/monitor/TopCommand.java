package dev.windrow.cli.monitor;

import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Live;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code top}: what goes on, all on one screen, as it goes on. */
@Command(
        name = "top",
        description = "Live overview on one screen: states, rates, times, what runs, what fails.",
        footer = {"", "Examples:", "  windrow top"})
public final class TopCommand extends CliCommand {
    @Option(
            names = "--every",
            paramLabel = "DURATION",
            description = "How often it looks again, 500ms to 1h, default 2s.")
    private @Nullable String every;

    @Option(names = "--once", description = "Show it once; also what happens without a terminal.")
    private boolean once;

    /** What was shown last: still there when the store cannot be read for a while. */
    private @Nullable TopView last;

    public TopCommand(Main main) {
        super(main);
    }

    @Override
    public void run() throws Exception {
        if (json()) {
            throw new UsageException("--json: not of 'top', which is for people; 'windrow stats --json' says the same");
        }
        Duration often = every == null ? Duration.ofSeconds(2) : Values.duration("--every", every, "500ms", "1h");
        try (Windrow windrow = target().openToRead()) {
            if (once || !console().isTerminal()) {
                int height = console().outIsTerminal()
                        ? Integer.MAX_VALUE
                        : console().height();
                int width = console().width();
                Ink ink = Ink.of(console());
                // Columns do not become narrower than what stands in them. Colour takes no room, but cannot be told
                // from text here.
                read(windrow)
                        .lines(width, height, ink)
                        .forEach(line -> out().println(ink.on() ? line : TerminalText.clip(line, width)));
                return;
            }
            new Live(console(), often).run((width, height, ink) -> lines(windrow, width, height, ink));
        }
    }

    private List<String> lines(Windrow windrow, int width, int height, Ink ink) {
        TopView view;
        try {
            view = read(windrow);
        } catch (WindrowException e) {
            if (last == null) {
                throw e;
            }
            view = last.stale(String.valueOf(e.getMessage()));
        }
        last = view;
        return view.lines(width, height, ink);
    }

    private TopView read(Windrow windrow) {
        return new TopView(
                /* target= */ target().name(),
                /* now= */ Instant.now(),
                /* statistics= */ windrow.monitor().statistics(),
                /* throughput= */ windrow.monitor().throughput(),
                /* workers= */ windrow.monitor().workers(),
                /* problem= */ null);
    }
}
