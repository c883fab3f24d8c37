package dev.windrow.cli.job;

import dev.windrow.EventKind;
import dev.windrow.Explanation;
import dev.windrow.JobHistory;
import dev.windrow.JobHistory.StepState;
import dev.windrow.JobInfo;
import dev.windrow.JobInfo.Dependency;
import dev.windrow.JobState;
import dev.windrow.LogLevel;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Times;
import dev.windrow.cli.worker.ExecRequest;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.wire.Redactor;
import dev.windrow.workflow.ParentPolicy;
import java.io.PrintStream;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The history of a job for readers: first the job itself, then its events in order, then its attempts and its result.
 */
final class HistoryView {
    private static final int MANY = 12;
    private static final int BAR = 20;
    private static final int MANY_LINES = 40;
    private static final int MANY_FRAMES = 8;
    private static final int RESULT_WIDTH = 60;

    /** The counts of dropped bytes in the result of an exec job. Inside of a string the quotes would be escaped. */
    private static final Pattern DROPPED = Pattern.compile("\"(stdout|stderr)DroppedBytes\":([1-9][0-9]*)");

    private final PrintStream out;
    private final Ink ink;
    private final int width;
    private final Instant now;
    private final Redactor redactor;

    HistoryView(PrintStream out, Ink ink, int width, Instant now, Redactor redactor) {
        this.out = out;
        this.ink = ink;
        this.width = width;
        this.now = now;
        this.redactor = redactor;
    }

    void print(JobHistory history, @Nullable Explanation waits) {
        JobInfo job = history.job();
        out.println(ink.bold("Job " + job.id()) + "  " + TerminalText.oneLine(job.type()) + "  "
                + ink.state(job.state(), job.state().name()));
        printJob(history, waits);
        if (history.payload() != null) {
            section("Payload");
            value(redactor.redact(job.type(), history.payload()));
        }
        if (!job.metadata().equals(Metadata.none())) {
            section("Metadata");
            text(redactor.redact(job.type(), new Json(job.metadata().json())).text());
        }
        section("What happened (UTC)");
        printEvents(history.events());
        printLog(history);
        printSteps(job.type(), history.steps());
        printAttempts(history);
        if (history.result() != null) {
            section("Result");
            value(redactor.redact(job.type(), history.result()));
            if (job.type().equals(ExecRequest.TYPE)) {
                DROPPED.matcher(history.result().text())
                        .results()
                        .forEach(dropped -> out.println("  "
                                + ink.notable("%s was longer: %,d more bytes were not kept"
                                        .formatted(dropped.group(1), new BigInteger(dropped.group(2))))));
            }
        }
    }

    private void printJob(JobHistory history, @Nullable Explanation waits) {
        JobInfo job = history.job();
        fact("name", job.name());
        fact("description", job.metadata().text("description").orElse(null));
        fact("waits", waits == null ? null : String.join("; ", waits.sentences()));
        fact("queue", job.queue() + (job.priority() == 0 ? "" : ", priority " + job.priority()));
        fact(
                "attempt",
                (job.run() > 1 ? "run " + job.run() + ", attempt " : "") + job.attempt() + " of at most "
                        + job.maxAttempts());
        fact("version", Long.toString(job.version()));
        fact("tags", job.tags().isEmpty() ? null : String.join(", ", job.tags()));
        fact("dedupe key", job.dedupeKey());
        fact(
                "shared key",
                job.concurrencyKey() == null
                        ? null
                        : job.concurrencyKey() + (job.waitsForPermit() ? ", waits for a permit" : ""));
        fact("created", when(job.createdAt()));
        if (job.state() == JobState.SCHEDULED) {
            fact("due", when(job.scheduledAt()));
        }
        fact("times", times(job));
        fact("progress", progress(job.progress()));
        fact("worker", job.worker());
        if (job.chainId() != job.id()) {
            fact("chain", "of job " + job.chainId() + ", place " + job.chainIndex());
        }
        fact("workflow", job.workflow() == null ? null : job.workflow().toString());
        fact("waits for", dependencies(job.dependsOn()));
        fact("waits for", outside(job));
        fact("awaited by", dependencies(job.dependents()));
        fact("trace", job.traceparent());
        if (job.errorCode() != null) {
            fact("error", ink.bad(job.errorCode()));
        }
        String detail = job.errorDetail();
        // An attempt with the same detail prints it.
        if (detail != null && history.attempts().stream().noneMatch(attempt -> detail.equals(attempt.errorDetail()))) {
            block(detail, MANY_LINES);
        }
    }

    private @Nullable String outside(JobInfo job) {
        if (job.waitingFor() != JobInfo.Waiting.EVENT) {
            return null;
        }
        Instant until = job.wakeAt();
        return "external completion" + (until == null ? "" : ", until " + when(until));
    }

    private String when(Instant instant) {
        return Times.dateAndTime(instant) + " UTC, " + Times.relative(instant, now);
    }

    private static @Nullable String times(JobInfo job) {
        List<String> parts = new ArrayList<>();
        Instant started = job.startedAt();
        Instant finished = job.finishedAt();
        if (started != null && !started.isBefore(job.scheduledAt())) {
            parts.add("waited " + Times.length(Duration.between(job.scheduledAt(), started)));
        }
        if (started != null && finished != null && !finished.isBefore(started)) {
            parts.add("ran " + Times.length(Duration.between(started, finished)));
        }
        return parts.isEmpty() ? null : String.join(", ", parts);
    }

    private @Nullable String progress(JobInfo.@Nullable Progress progress) {
        if (progress == null) {
            return null;
        }
        List<String> parts = new ArrayList<>();
        Double fraction = progress.fraction();
        if (fraction != null) {
            String bar = TerminalText.bar(Math.round(fraction * 1000), 1000, BAR);
            parts.add(TerminalText.padRight(bar, BAR) + " " + Math.floorDiv(Math.round(fraction * 1000), 10) + " %");
        }
        if (progress.message() != null) {
            parts.add(TerminalText.oneLine(progress.message()));
        }
        parts.add(ink.dim(Times.relative(progress.at(), now)));
        return String.join("  ", parts);
    }

    private @Nullable String dependencies(List<Dependency> all) {
        if (all.isEmpty()) {
            return null;
        }
        long ended = all.stream().filter(other -> other.state().isFinished()).count();
        String listed = all.stream()
                .limit(MANY)
                .map(other -> other.id() + " "
                        + ink.state(other.state(), other.state().name())
                        + (other.onFailure() == ParentPolicy.WAIT
                                ? ""
                                : ink.dim(" (" + other.onFailure().name().toLowerCase(Locale.ROOT) + ")")))
                .collect(Collectors.joining(", "));
        return all.size() <= MANY
                ? listed
                : "%,d jobs, %,d of them ended: %s, ...".formatted(all.size(), ended, listed);
    }

    private void printEvents(List<JobHistory.Event> events) {
        Instant before = null;
        for (JobHistory.Event event : events) {
            boolean newDay =
                    before == null || !Times.dateAndTime(before).regionMatches(0, Times.dateAndTime(event.at()), 0, 10);
            if (newDay) {
                out.println("  " + ink.dim(Times.dateAndTime(event.at()).substring(0, 10)));
            }
            String since = before == null ? "" : "+" + Times.length(Duration.between(before, event.at()));
            String name = TerminalText.padRight(event.event().name(), 16);
            String line = "  %s %s  %s %s %s"
                    .formatted(
                            Times.time(event.at()),
                            ink.dim(TerminalText.padLeft(since, 8)),
                            mark(event.event()),
                            coloured(event.event(), name),
                            ink.dim(TerminalText.oneLine(event.actor())));
            out.println(line.stripTrailing());
            if (event.detail() != null) {
                out.println(" ".repeat(27) + TerminalText.clip(plain(event.detail()), Math.max(20, width - 27)));
            }
            before = event.at();
        }
    }

    private String mark(EventKind kind) {
        return coloured(
                kind,
                switch (kind) {
                    case SUCCEEDED -> "✓";
                    case FAILED, RETRY_SCHEDULED, CANCELLED -> "✗";
                    default -> "•";
                });
    }

    private String coloured(EventKind kind, String text) {
        return switch (kind) {
            case SUCCEEDED -> ink.good(text);
            case FAILED -> ink.bad(text);
            case RETRY_SCHEDULED, RECOVERED, CANCEL_REQUESTED, CANCELLED, STUCK -> ink.notable(text);
            default -> text;
        };
    }

    /** Returns short JSON as words: {@code {"state":"PENDING"}} as {@code state PENDING}. */
    private static String plain(Json detail) {
        String text = TerminalText.oneLine(detail.text());
        return text.startsWith("{") && text.endsWith("}")
                ? text.substring(1, text.length() - 1)
                        .replace("\",\"", ", ")
                        .replace(",\"", ", ")
                        .replace("\":", " ")
                        .replace("\"", "")
                : text;
    }

    private void printAttempts(JobHistory history) {
        if (history.attempts().isEmpty()) {
            return;
        }
        section("Attempts");
        boolean told = history.attemptsLeftOut() == 0;
        for (JobHistory.Attempt attempt : history.attempts()) {
            if (!told && attempt.token() > JobHistory.FIRST_ATTEMPTS) {
                told = true;
                out.println("  "
                        + ink.dim(String.format(
                                Locale.ROOT,
                                "... %,d attempts left out: the first %d and the last %d are kept",
                                history.attemptsLeftOut(),
                                JobHistory.FIRST_ATTEMPTS,
                                JobHistory.LAST_ATTEMPTS)));
            }
            String outcome =
                    attempt.outcome() == null ? "RUNNING" : attempt.outcome().name();
            String number = history.job().run() > 1
                    ? "run %d, attempt %d".formatted(attempt.run(), attempt.attempt())
                    : String.valueOf(attempt.attempt());
            out.println("  %s  %s  %s%s"
                    .formatted(number, outcome, ran(attempt), ink.dim(TerminalText.oneLine(attempt.worker()))));
            if (attempt.errorCode() != null) {
                out.println("     " + ink.bad(TerminalText.oneLine(attempt.errorCode())));
            }
            // A process that fails may have printed nothing.
            if (attempt.errorDetail() != null && !attempt.errorDetail().isBlank()) {
                block(attempt.errorDetail(), MANY_LINES);
            }
            if (attempt.output() != null) {
                out.println("     " + ink.dim("output"));
                block(attempt.output(), MANY_LINES);
            }
            if (attempt.stackTrace() != null) {
                out.println("     " + ink.dim("stack trace"));
                block(attempt.stackTrace(), MANY_FRAMES);
            }
        }
    }

    private void printSteps(String type, List<JobHistory.Step> steps) {
        if (steps.isEmpty()) {
            return;
        }
        section("Steps (UTC)");
        // The last steps show the progress of the job.
        int first = Math.max(0, steps.size() - MANY_LINES);
        if (first > 0) {
            out.println("  " + ink.dim(String.format(Locale.ROOT, "... %,d earlier steps (--json has all)", first)));
        }
        for (JobHistory.Step step : steps.subList(first, steps.size())) {
            Instant at = step.finishedAt() == null ? step.startedAt() : step.finishedAt();
            out.println("  " + Times.time(at) + "  "
                    + TerminalText.padRight(step.kind().name(), 6)
                    + TerminalText.padRight(step.state().name(), 11) + TerminalText.oneLine(step.name())
                    + outcome(type, step));
        }
    }

    private String outcome(String type, JobHistory.Step step) {
        Json result = step.result();
        Instant until = step.until();
        if (result != null) {
            String text = TerminalText.oneLine(redactor.redact(type, result).text());
            return "  "
                    + ink.dim(
                            width == Integer.MAX_VALUE || text.length() <= RESULT_WIDTH
                                    ? text
                                    : text.substring(0, RESULT_WIDTH - 3) + "...");
        }
        return step.state() == StepState.WAITING && until != null ? "  until " + when(until) : "";
    }

    private void printLog(JobHistory history) {
        if (history.log().isEmpty()) {
            return;
        }
        section("Log (UTC)");
        if (history.droppedLines() > 0) {
            out.println("  "
                    + ink.dim(String.format(
                            Locale.ROOT,
                            "... %,d earlier lines were dropped: the last %d are kept",
                            history.droppedLines(),
                            JobHistory.MAX_LOG_LINES)));
        }
        for (JobHistory.LogLine line : history.log()) {
            out.println("  " + Times.time(line.at()) + "  " + level(line.level()) + "  "
                    + TerminalText.oneLine(line.message()));
        }
    }

    private String level(LogLevel level) {
        String name = TerminalText.padRight(level.name(), 5);
        return switch (level) {
            case DEBUG -> ink.dim(name);
            case INFO -> name;
            case WARN -> ink.notable(name);
            case ERROR -> ink.bad(name);
        };
    }

    private static String ran(JobHistory.Attempt attempt) {
        return attempt.startedAt() == null || attempt.finishedAt() == null
                ? ""
                : "after " + Times.length(Duration.between(attempt.startedAt(), attempt.finishedAt())) + "  ";
    }

    private void section(String title) {
        out.println();
        out.println(ink.bold(title));
    }

    private void fact(String name, @Nullable String value) {
        if (value != null) {
            out.println("  " + ink.dim(TerminalText.padRight(name + " ", 11)) + TerminalText.oneLine(value));
        }
    }

    /** Prints a value unchanged, or, if it was not loaded, a description of it. */
    private void value(Json stored) {
        BlobRef ref = BlobRef.of(stored.text());
        if (ref == null) {
            text(stored.text());
        } else {
            out.println("  " + String.format(Locale.ROOT, "%,d bytes", ref.bytes())
                    + (ref.form() == BlobRef.Form.JSON ? " of JSON" : "") + ", stored separately as blob " + ref.id()
                    + (ref.file() == null ? "" : " in file " + ref.file()));
            out.println("  " + ink.dim("sha256 " + ref.sha256()));
        }
    }

    private void text(String text) {
        for (String line : TerminalText.lines(text).split("\n", -1)) {
            out.println("  " + line);
        }
    }

    private void block(String text, int max) {
        String[] lines = TerminalText.lines(text.stripTrailing()).split("\n", -1);
        int shown = Math.min(lines.length, max);
        for (int i = 0; i < shown; i++) {
            out.println("     " + ink.dim("│") + " " + lines[i]);
        }
        if (shown < lines.length) {
            out.println("     "
                    + ink.dim(
                            String.format(Locale.ROOT, "│ ... %,d more lines (--json has all)", lines.length - shown)));
        }
    }
}
