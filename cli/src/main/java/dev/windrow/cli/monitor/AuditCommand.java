package dev.windrow.cli.monitor;

import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.Times;
import dev.windrow.cli.terminal.Values;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.wire.MonitorJson;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code audit}: lists the changes by operators and by retention. */
@Command(
        name = "audit",
        description = "Lists the changes by operators and by retention, newest first.",
        footer = {
            "",
            "It lists changes of jobs, queues, types, keys, schedules and rules of",
            "retention. Each entry names its first 100 jobs.",
            "",
            "Examples:",
            "  windrow audit",
            "  windrow audit --job 17",
            "  windrow audit --action cancel --after 2026-11-21T18:00:00Z --json"
        })
public final class AuditCommand extends CliCommand {
    private static final int DEFAULT_LIMIT = 50;

    @Option(names = "--limit", paramLabel = "N", description = "Number of entries. 1 to 1000, default 50.")
    private @Nullable String limit;

    @Option(names = "--action", paramLabel = "VERB", description = "Entries of this verb, such as cancel or pause.")
    private @Nullable String action;

    @Option(names = "--actor", paramLabel = "NAME", description = "Entries of this actor.")
    private @Nullable String actor;

    @Option(names = "--job", paramLabel = "ID", description = "Entries that name this job.")
    private @Nullable String job;

    @Option(names = "--after", paramLabel = "TIME", description = "Entries from this time, ISO-8601 with an offset.")
    private @Nullable String after;

    @Option(names = "--before", paramLabel = "TIME", description = "Entries before this time.")
    private @Nullable String before;

    public AuditCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        int count = limit == null ? DEFAULT_LIMIT : Values.integer("--limit", limit, 1, 1000);
        AuditFilter filter = filter();
        List<AuditEntry> entries;
        try (Windrow windrow = target().openToRead()) {
            entries = windrow.monitor().audit(filter, count);
        }
        if (json()) {
            out().println(MonitorJson.audit(entries));
        } else if (entries.isEmpty()) {
            out().println("no entries");
        } else {
            print(entries);
        }
    }

    private AuditFilter filter() {
        AuditFilter filter = AuditFilter.ALL;
        if (action != null) {
            filter = filter.withAction(action.toUpperCase(Locale.ROOT).replace('-', '_'));
        }
        if (actor != null) {
            filter = filter.withActor(Values.whole("--actor", actor));
        }
        if (job != null) {
            filter = filter.withJob(JobRef.raw(Values.id("--job", job)));
        }
        if (after != null) {
            filter = filter.withFrom(Values.instant("--after", after));
        }
        if (before == null) {
            return filter;
        }
        AuditFilter unended = filter;
        Instant end = Values.instant("--before", before);
        return Values.named("--before", () -> unended.withBefore(end));
    }

    private void print(List<AuditEntry> entries) {
        Table table = new Table("AT (UTC)", "ACTION", "JOBS>", "ACTOR", "REASON", "DETAIL");
        for (AuditEntry entry : entries) {
            table.row(
                    Times.dateAndTime(entry.at()),
                    entry.action(),
                    entry.changed(),
                    entry.actor(),
                    entry.reason() == null ? "" : entry.reason(),
                    detail(entry));
        }
        int width = console().tableWidth();
        table.print(out(), width, Ink.of(console()));
    }

    /** Returns the filter or the subject, then the jobs: {@code 17, 18: FAILED -> PENDING}. */
    private static String detail(AuditEntry entry) {
        Map<String, List<String>> jobs = new LinkedHashMap<>();
        for (AuditEntry.Job changed : entry.jobs()) {
            String change = changed.from() + " -> " + (changed.to() == null ? "deleted" : changed.to());
            jobs.computeIfAbsent(change, each -> new ArrayList<>()).add(Long.toString(changed.id()));
        }
        List<String> parts = new ArrayList<>();
        if (entry.detail() != null) {
            parts.add(entry.detail().text());
        }
        jobs.forEach((change, ids) -> parts.add(String.join(", ", ids) + ": " + change));
        return String.join("; ", parts);
    }
}
