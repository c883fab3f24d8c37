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
import dev.windrow.monitor.AuditPage;
import dev.windrow.monitor.AuditQuery;
import dev.windrow.query.JobQuery;
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

/** {@code audit}: lists the changes by operators and by retention, and the reads of confidential values. */
@Command(
        name = "audit",
        description = "Lists the changes by operators and by retention, newest first.",
        footer = {
            "",
            "It lists changes of jobs, queues, types, keys, schedules and rules of",
            "retention, and who read confidential values over HTTP (reveal). Each entry",
            "names its first 100 jobs.",
            "",
            "Examples:",
            "  windrow audit",
            "  windrow audit --job 17",
            "  windrow audit --action cancel --changed-after 2026-11-21T18:00:00Z --json"
        })
public final class AuditCommand extends CliCommand {
    @Option(names = "--limit", paramLabel = "N", description = "Entries on a page. 1 to 1000, default 50.")
    private @Nullable String limit;

    @Option(names = "--after", paramLabel = "CURSOR", description = "The page after this cursor ('next' of a page).")
    private @Nullable String after;

    @Option(names = "--action", paramLabel = "VERB", description = "Entries of this verb, such as cancel or pause.")
    private @Nullable String action;

    @Option(names = "--actor", paramLabel = "NAME", description = "Entries of this actor.")
    private @Nullable String actor;

    @Option(names = "--job", paramLabel = "ID", description = "Entries that name this job.")
    private @Nullable String job;

    @Option(
            names = "--changed-after",
            paramLabel = "TIME",
            description = "Entries from this time, ISO-8601 with an offset.")
    private @Nullable String from;

    @Option(names = "--changed-before", paramLabel = "TIME", description = "Entries before this time.")
    private @Nullable String before;

    public AuditCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        int count = limit == null ? JobQuery.DEFAULT_LIMIT : Values.integer("--limit", limit, 1, JobQuery.MAX_LIMIT);
        Long position = after == null ? null : (Long) Values.cursor("--after", after, "next");
        AuditFilter filter = filter();
        AuditPage page;
        try (Windrow windrow = target().openToRead()) {
            AuditQuery query = windrow.monitor().audit(filter).limit(count);
            page = (position == null ? query : query.after(position)).page();
        }
        if (json()) {
            out().println(MonitorJson.audit(page));
        } else {
            print(page);
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
        if (from != null) {
            filter = filter.withFrom(Values.instant("--changed-after", from));
        }
        if (before == null) {
            return filter;
        }
        AuditFilter unended = filter;
        Instant end = Values.instant("--changed-before", before);
        return Values.named("--changed-before", () -> unended.withBefore(end));
    }

    private void print(AuditPage page) {
        if (page.entries().isEmpty()) {
            out().println("no entries");
            return;
        }
        Ink ink = Ink.of(console());
        Table table = new Table("AT (UTC)", "ACTION", "JOBS>", "ACTOR", "REASON", "DETAIL");
        for (AuditEntry entry : page.entries()) {
            table.row(
                    Times.dateAndTime(entry.at()),
                    entry.action(),
                    entry.changed(),
                    entry.actor(),
                    entry.reason() == null ? "" : entry.reason(),
                    detail(entry));
        }
        int width = console().tableWidth();
        table.print(out(), width, ink);
        if (page.next() != null) {
            out().println(ink.dim("next page: --after " + page.next()));
        }
    }

    /** Returns the filter or the subject, then the jobs: {@code 17, 18: FAILED -> PENDING}. A reveal changes no state. */
    private static String detail(AuditEntry entry) {
        Map<String, List<String>> jobs = new LinkedHashMap<>();
        for (AuditEntry.Job changed : entry.jobs()) {
            String change = entry.action().equals("REVEAL")
                    ? ""
                    : ": " + changed.from() + " -> " + (changed.to() == null ? "deleted" : changed.to());
            jobs.computeIfAbsent(change, each -> new ArrayList<>()).add(Long.toString(changed.id()));
        }
        List<String> parts = new ArrayList<>();
        if (entry.detail() != null) {
            parts.add(entry.detail().text());
        }
        jobs.forEach((change, ids) -> parts.add(String.join(", ", ids) + change));
        return String.join("; ", parts);
    }
}
