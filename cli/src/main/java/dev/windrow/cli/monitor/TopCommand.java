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

/** {@code top}: a live overview on one screen. */
@Command(
        name = "top",
        description = "Shows a live overview on one screen.",
        footer = {
            "",
            "It shows states, rates, times, running jobs, failures, queues and workers.",
            "Keys: q ends it, r or space refreshes it.",
            "",
            "Examples:",
            "  windrow top",
            "  windrow top --every 10s"
        })
public final class TopCommand extends CliCommand {
    @Option(names = "--every", paramLabel = "DURATION", description = "Interval of refreshes. 500ms to 1h, default 2s.")
    private @Nullable String every;

    @Option(names = "--once", description = "Show it once, as without a terminal.")
    private boolean once;

    /** The last view, which stays on the screen while the store cannot be read. */
    private @Nullable TopView last;

    public TopCommand(Main main) {
        super(main);
    }

    @Override
    public void run() throws Exception {
        if (json()) {
            throw new UsageException("'top' has no --json; use 'windrow stats --json'");
        }
        Duration often = every == null ? Duration.ofSeconds(2) : Values.duration("--every", every, "500ms", "1h");
        try (Windrow windrow = target().openToRead()) {
            if (once || !console().isTerminal()) {
                int height = console().outIsTerminal()
                        ? Integer.MAX_VALUE
                        : console().height();
                int width = console().width();
                Ink ink = Ink.of(console());
                // Columns are never narrower than their content. Colour takes no columns, but cannot be distinguished
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
