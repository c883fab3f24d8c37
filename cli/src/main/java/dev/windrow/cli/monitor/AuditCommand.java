package dev.windrow.cli.monitor;

import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.Times;
import dev.windrow.cli.terminal.Values;
import dev.windrow.monitor.AuditEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code audit}: lists the changes of many jobs at once, and of deleted jobs. */
@Command(
        name = "audit",
        description = "Lists the changes by operators and by retention, newest first.",
        footer = {
            "",
            "It lists changes of many jobs at once, and changes of queues, types, keys,",
            "schedules and rules of retention.",
            "",
            "Examples:",
            "  windrow audit",
            "  windrow audit --limit 10 --json"
        })
public final class AuditCommand extends CliCommand {
    private static final int DEFAULT_LIMIT = 50;

    @Option(names = "--limit", paramLabel = "N", description = "Number of entries. 1 to 1000, default 50.")
    private @Nullable String limit;

    public AuditCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        int count = limit == null ? DEFAULT_LIMIT : Values.integer("--limit", limit, 1, 1000);
        List<AuditEntry> entries;
        try (Windrow windrow = target().openToRead()) {
            entries = windrow.monitor().audit(count);
        }
        if (json()) {
            out().println(new Fields()
                    .put("audit", entries.stream().map(AuditCommand::fields).toList()));
        } else if (entries.isEmpty()) {
            out().println("no entries");
        } else {
            print(entries);
        }
    }

    private static Fields fields(AuditEntry entry) {
        return new Fields()
                .put("at", entry.at())
                .put("action", entry.action())
                .put("actor", entry.actor())
                .put("jobs", entry.jobs())
                .put("detail", entry.detail());
    }

    private void print(List<AuditEntry> entries) {
        Table table = new Table("AT (UTC)", "ACTION", "JOBS>", "ACTOR", "DETAIL");
        for (AuditEntry entry : entries) {
            table.row(
                    Times.dateAndTime(entry.at()),
                    entry.action(),
                    entry.jobs(),
                    entry.actor(),
                    entry.detail() == null ? "" : entry.detail().text());
        }
        int width = console().tableWidth();
        table.print(out(), width, Ink.of(console()));
    }
}
