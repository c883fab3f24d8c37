package dev.windrow.cli.query;

import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobSelection;
import dev.windrow.Windrow;
import dev.windrow.cli.AgeOption;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.RedactOption;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Times;
import dev.windrow.cli.terminal.Values;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobMatches;
import dev.windrow.query.JobPage;
import dev.windrow.query.JobQuery;
import dev.windrow.query.PayloadMatch;
import dev.windrow.wire.JobJson;
import dev.windrow.wire.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code list}: prints jobs, newest first, a page at a time. */
@Command(
        name = "list",
        description = "Lists jobs, newest first, a page at a time.",
        footer = {
            "",
            "Examples:",
            "  windrow list --state FAILED,CANCELLED --queue mail --stack-traces",
            "  windrow list --type mail.send --payload '$.customer.id=42'",
            "  windrow list --state FAILED --created-after 2026-11-21T00:00:00Z"
        })
public final class ListCommand extends CliCommand {
    private static final int DEFAULT_LIMIT = 50;
    private static final int WIDE = 110;
    private static final int LOOK = 10_000;

    @Mixin
    private FilterOptions filters = new FilterOptions();

    @Mixin
    private AgeOption age = new AgeOption();

    @Option(names = "--limit", paramLabel = "N", description = "Jobs on a page. 1 to 1000, default 50.")
    private @Nullable String limit;

    @Option(names = "--oldest-first", description = "List the oldest job first.")
    private boolean oldestFirst;

    @Option(names = "--after", paramLabel = "CURSOR", description = "The page after this cursor ('next' of a page).")
    private @Nullable String after;

    @Option(
            names = "--before",
            paramLabel = "CURSOR",
            description = "The page before this cursor ('previous' of a page).")
    private @Nullable String before;

    @Option(
            names = "--payload",
            paramLabel = "EXPR",
            description = {
                "Jobs whose payload matches PATH, PATH=VALUE or PATH~TEXT, such as '$.customer.id=42'.",
                "Needs --state, --type, --queue, --tag, --workflow, --chain or --parent."
            })
    private @Nullable String payload;

    @Option(
            names = "--metadata",
            paramLabel = "EXPR",
            description = {
                "Jobs whose metadata match, such as 'customer=42', by the rules of --payload.",
                "A path without $ begins with a name."
            })
    private @Nullable String metadata;

    @Option(
            names = "--look",
            paramLabel = "N",
            description = "With --payload or --metadata: jobs to read. 1 to 100000, default 10000.")
    private @Nullable String look;

    @Option(
            names = "--stack-traces",
            description = "Print the stack trace of each job's last failed attempt. --limit is then 1 to 100.")
    private boolean stackTraces;

    @Mixin
    private RedactOption redact = new RedactOption();

    public ListCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        JobFilter filter = age.narrow(filters.filter());
        // A stack trace has up to 64 KiB.
        int count = limit == null ? DEFAULT_LIMIT : Values.integer("--limit", limit, 1, stackTraces ? 100 : 1000);
        if (after != null && before != null) {
            throw new UsageException("give --after or --before, not both");
        }
        Long behind = after == null ? null : (Long) Values.cursor("--after", after, "next");
        Long inFrontOf = before == null ? null : (Long) Values.cursor("--before", before, "previous");
        if (payload != null && metadata != null) {
            throw new UsageException("give --payload or --metadata, not both");
        }
        String searched = metadata == null ? "--payload" : "--metadata";
        PayloadMatch match = match();
        if (match == null && look != null) {
            throw new UsageException("--look needs --payload or --metadata");
        }
        int max = look == null ? LOOK : Values.integer("--look", look, 1, 100_000);
        JobMatches matches = null;
        JobPage page;
        Map<Long, String> traces = new HashMap<>();
        try (Windrow windrow = target().openToRead()) {
            JobSelection jobs = windrow.jobs(filter);
            JobQuery all = (oldestFirst ? jobs.oldestFirst() : jobs.newestFirst()).limit(count);
            JobQuery query = behind != null ? all.after(behind) : inFrontOf != null ? all.before(inFrontOf) : all;
            if (match == null) {
                page = query.page();
            } else {
                PayloadMatch wanted = match;
                matches = Values.named(
                        searched,
                        () -> metadata == null ? query.search(wanted, max) : query.searchMetadata(wanted, max));
                page = new JobPage(matches.jobs(), matches.next());
            }
            if (stackTraces) {
                for (JobInfo job : page.jobs()) {
                    String trace = stackTrace(windrow, job);
                    if (trace != null) {
                        traces.put(job.id(), trace);
                    }
                }
            }
        }
        if (json()) {
            Function<JobInfo, JsonObject> form = job -> fields(job, traces.get(job.id()));
            out().println(matches == null ? JobJson.page(page, form) : JobJson.page(matches, form));
        } else {
            print(page);
            printTraces(page, traces);
            if (matches != null) {
                out().println("read %s%s"
                        .formatted(
                                TerminalText.count(matches.looked(), metadata == null ? "payload" : "job"),
                                matches.skipped() == 0
                                        ? ""
                                        : "; skipped %,d that are too long or not readable"
                                                .formatted(matches.skipped())));
            }
        }
    }

    private @Nullable PayloadMatch match() {
        String path = metadata;
        if (path != null) {
            return Values.named("--metadata", () -> PayloadMatch.parse(path.startsWith("$") ? path : "$." + path));
        }
        return payload == null ? null : Values.named("--payload", () -> PayloadMatch.parse(String.valueOf(payload)));
    }

    private JsonObject fields(JobInfo job, @Nullable String trace) {
        JsonObject fields = JobJson.listed(job, redact.redactor());
        return stackTraces ? fields.put("stackTrace", trace) : fields;
    }

    /** Prints the stack traces below the table, whose lines they would separate. */
    private void printTraces(JobPage page, Map<Long, String> traces) {
        for (JobInfo job : page.jobs()) {
            String trace = traces.get(job.id());
            if (trace != null) {
                out().println();
                out().println("Job " + job.id() + (job.errorCode() == null ? "" : "  " + job.errorCode()));
                for (String line : TerminalText.lines(trace.stripTrailing()).split("\n", -1)) {
                    out().println("  " + line);
                }
            }
        }
    }

    private void print(JobPage page) {
        Ink ink = Ink.of(console());
        if (page.jobs().isEmpty()) {
            out().println(
                            page.next() != null && before == null
                                    ? "no matching jobs in this part of the list; there are more jobs"
                                    : "no matching jobs");
            printPages(page, ink);
            return;
        }
        Instant now = Instant.now();
        int width = console().tableWidth();
        // On a narrow terminal the name says more than the time, because the age is printed anyway.
        boolean times = width >= WIDE;
        List<String> headings = new ArrayList<>(List.of("ID>", "STATE", "TYPE", "QUEUE", "TRY>", "AGE>"));
        headings.addAll(times ? List.of("CREATED (UTC)", "NAME OR ERROR") : List.of("NAME OR ERROR"));
        Table table = new Table(headings.toArray(String[]::new));
        for (JobInfo job : page.jobs()) {
            List<Object> row = new ArrayList<>(List.of(
                    job.id(),
                    new Table.Inked(job.state().name(), text -> ink.state(job.state(), text)),
                    job.type(),
                    job.queue(),
                    job.attempt() + "/" + job.maxAttempts(),
                    age(job, now)));
            if (times) {
                row.add(Times.dateAndTime(job.createdAt()));
            }
            row.add(remark(job));
            table.row(row.toArray());
        }
        table.print(out(), width, ink);
        printPages(page, ink);
    }

    /** Prints the cursors of the next and the previous page. */
    private void printPages(JobPage page, Ink ink) {
        if (page.next() != null) {
            out().println(ink.dim("next page: --after " + page.next()));
        }
        if (page.previous() != null) {
            out().println(ink.dim("previous page: --before " + page.previous()));
        }
    }

    private static String age(JobInfo job, Instant now) {
        return Times.length(Duration.between(job.createdAt(), now));
    }

    /** Returns the name of a job, the error code of its last failure, and its description. */
    public static String remark(JobInfo job) {
        return Stream.of(
                        Optional.ofNullable(job.name()),
                        Optional.ofNullable(job.errorCode()),
                        job.metadata().text("description"))
                .flatMap(Optional::stream)
                .collect(Collectors.joining("  "));
    }

    /** Returns the stack trace of a job; null if it has none, or was deleted after the page was read. */
    private static @Nullable String stackTrace(Windrow windrow, JobInfo job) {
        try {
            return windrow.job(job.id()).history().stackTrace();
        } catch (JobNotFoundException e) {
            return null;
        }
    }
}
