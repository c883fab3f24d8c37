package dev.windrow.wire;

import dev.windrow.BulkResult;
import dev.windrow.Durations;
import dev.windrow.Enqueued;
import dev.windrow.Explanation;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.RetryPolicy;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobMatches;
import dev.windrow.query.JobPage;
import dev.windrow.step.Signalled;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The JSON forms of a job. */
public final class JobJson {
    private JobJson() {}

    /** Returns a job in a list: all but its payload, result, log, steps, attempts and events. */
    public static JsonObject listed(JobInfo job) {
        return listed(job, Redactor.none());
    }

    /** Returns a job in a list, with redacted metadata. */
    public static JsonObject listed(JobInfo job, Redactor redactor) {
        return rest(head(job), job, redactor).put("traceparent", job.traceparent());
    }

    /** Returns a page of jobs, each in this form. */
    public static JsonObject page(JobPage page, Function<JobInfo, JsonObject> form) {
        return new JsonObject()
                .list("jobs", page.jobs(), form)
                .id("next", page.next())
                .id("previous", page.previous())
                .put("looked", null)
                .put("skipped", null);
    }

    /** Returns the result of a search, each job in this form. Its keys are those of a page. */
    public static JsonObject page(JobMatches matches, Function<JobInfo, JsonObject> form) {
        return page(new JobPage(matches.jobs(), matches.next()), form)
                .put("looked", matches.looked())
                .put("skipped", matches.skipped());
    }

    /** Returns a new job, or the job that had its dedupe key. */
    public static JsonObject enqueued(Enqueued<?> job) {
        return new JsonObject().id("id", job.id()).put("state", job.state()).put("deduplicated", job.deduplicated());
    }

    /** Returns the result of a change of jobs. */
    public static JsonObject changed(BulkResult changed) {
        JsonObject json = new JsonObject()
                .put("changed", changed.count())
                .ids("ids", changed.ids())
                .put("skipped", changed.skipped());
        return changed.isAtLeast() ? json.put("atLeast", true) : json;
    }

    /** Returns the result that a change would have, with the ids of at most 20 jobs. */
    public static JsonObject preview(BulkResult wouldBe) {
        return new JsonObject()
                .put("changed", wouldBe.count())
                .put("atLeast", wouldBe.isAtLeast())
                .ids("ids", wouldBe.sampleIds())
                .put("skipped", wouldBe.skipped());
    }

    /** Returns the end of a job from outside. */
    public static JsonObject ended(JobRef<?> job, JobState state) {
        return new JsonObject().id("id", job.id()).put("state", state);
    }

    /** Returns the result of a signal. */
    public static JsonObject signalled(JobRef<?> job, String event, Signalled signalled) {
        return new JsonObject()
                .id("id", job.id())
                .put("name", event)
                .put("state", signalled.state())
                .put("kept", signalled.kept());
    }

    /** Returns the log of a job. */
    public static JsonObject log(JobHistory history) {
        return new JsonObject().id("id", history.job().id()).putAll(lines(history));
    }

    private static JsonObject lines(JobHistory history) {
        return new JsonObject().list("log", history.log(), JobJson::line).put("droppedLines", history.droppedLines());
    }

    /** Returns the metadata of a job. */
    public static JsonObject metadata(JobRef<?> job, Metadata metadata) {
        return new JsonObject().id("id", job.id()).put("metadata", metadata(metadata));
    }

    /** Returns a job with its whole history. */
    public static JsonObject history(JobHistory history) {
        return history(history, Redactor.none());
    }

    /** Returns a job with its whole history, with redacted payload, result, metadata and results of steps. */
    public static JsonObject history(JobHistory history, Redactor redactor) {
        JobInfo job = history.job();
        JsonObject fields = head(job)
                .put("payload", redacted(job, history.payload(), redactor))
                .put("result", redacted(job, history.result(), redactor));
        return rest(options(fields, history), job, redactor)
                .putAll(lines(history))
                .put("traceparent", job.traceparent())
                .put("attemptsLeftOut", history.attemptsLeftOut())
                .list("steps", history.steps(), step -> step(job, step, redactor))
                .list("attempts", history.attempts(), JobJson::attempt)
                .list("events", history.events(), JobJson::event);
    }

    /** Adds the options with which the job was enqueued, by the names of {@link JobFields}. A key in sequence is the concurrency key, too. */
    private static JsonObject options(JsonObject fields, JobHistory history) {
        Duration timeout = history.timeout();
        RetryPolicy retry = history.retryPolicy();
        ConcurrencyKey key = history.concurrencyKey();
        Duration external = history.externalCompletion();
        return fields.put("timeout", timeout == null ? null : Durations.text(timeout))
                .put("retryPolicy", retry == null ? null : retry.text())
                .put("concurrencyLimit", key == null ? null : key.maxRunning())
                .put("sequenceKey", key == null || !key.inSequence() ? null : key.key())
                .put("external", external == null ? null : Durations.text(external));
    }

    /**
     * Returns the history as one line, without a line end. Stored JSON may have line ends of its own, as white space
     * between tokens. In strings JSON escapes them.
     */
    public static String line(JobHistory history) {
        return line(history, Redactor.none());
    }

    /** Returns the history as one line, redacted like {@link #history(JobHistory, Redactor)}. */
    public static String line(JobHistory history, Redactor redactor) {
        return history(history, redactor).toString().replace('\r', ' ').replace('\n', ' ');
    }

    /** Returns the reasons why a job does not run, or what it is doing. */
    public static JsonObject explanation(Explanation explanation) {
        return new JsonObject()
                .id("id", explanation.id())
                .put("state", explanation.state())
                .list("reasons", explanation.reasons(), reason -> reason(explanation.id(), reason));
    }

    private static JsonObject reason(long job, Explanation.Reason reason) {
        JsonObject fields = new JsonObject().put("reason", reason.kind()).put("text", reason.text(job));
        if (reason instanceof Explanation.Paused paused) {
            return LimitJson.target(fields, paused.target())
                    .put("pausedAt", paused.pause().at())
                    .put("pausedBy", paused.pause().by())
                    .put("pauseReason", paused.pause().reason());
        } else if (reason instanceof Explanation.QueueNotServed unserved) {
            return fields.put("queue", unserved.queue());
        } else if (reason instanceof Explanation.TypeNotHandled unhandled) {
            return fields.put("type", unhandled.type()).put("similar", unhandled.similar());
        } else if (reason instanceof Explanation.PriorityNotTaken taken) {
            return fields.put("priority", taken.priority()).put("minPriority", taken.minimum());
        } else if (reason instanceof Explanation.LimitReached limit) {
            return LimitJson.target(fields, limit.target())
                    .put("maxRunning", limit.limit())
                    .put("running", limit.running());
        } else if (reason instanceof Explanation.RateReached rate) {
            return LimitJson.target(fields, rate.target())
                    .put("rate", rate.rate().text())
                    .put("burst", rate.rate().burst())
                    .put("opensAt", rate.opensAt());
        } else if (reason instanceof Explanation.KeyHeld held) {
            return fields.put("key", held.key())
                    .put("maxRunning", held.limit())
                    .list(
                            "holders",
                            held.holders(),
                            holder -> new JsonObject().id("id", holder.id()).put("state", holder.state()));
        } else if (reason instanceof Explanation.Due due) {
            return fields.put("at", due.at());
        } else if (reason instanceof Explanation.WaitsForRetry retry) {
            return fields.put("attempt", retry.attempt())
                    .put("maxAttempts", retry.maxAttempts())
                    .put("at", retry.at())
                    .put("errorCode", retry.errorCode());
        } else if (reason instanceof Explanation.WaitsForParents waits) {
            return fields.put("open", waits.open()).list("parents", waits.parents(), JobJson::parent);
        } else if (reason instanceof Explanation.WaitsForEvent waits) {
            return fields.put("event", waits.event()).put("until", waits.until());
        } else if (reason instanceof Explanation.Ready ready) {
            return fields.put("before", ready.before());
        } else if (reason instanceof Explanation.Running running) {
            return fields.put("worker", running.worker())
                    .put("since", running.since())
                    .put("heartbeatAt", running.heartbeat())
                    .put("leaseUntil", running.leaseUntil())
                    .put("progress", running.progress());
        }
        Explanation.Ended ended = (Explanation.Ended) reason;
        return fields.put("at", ended.at()).put("errorCode", ended.errorCode());
    }

    private static JsonObject head(JobInfo job) {
        return new JsonObject()
                .id("id", job.id())
                .put("type", job.type())
                .put("queue", job.queue())
                .put("name", job.name())
                .put("state", job.state())
                .id("version", job.version())
                .put("priority", job.priority())
                .put("run", job.run())
                .put("attempt", job.attempt())
                .put("maxAttempts", job.maxAttempts());
    }

    private static JsonObject rest(JsonObject fields, JobInfo job, Redactor redactor) {
        return fields.put("errorCode", job.errorCode())
                .put("errorDetail", job.errorDetail())
                .put("createdAt", job.createdAt())
                .put("scheduledAt", job.scheduledAt())
                .put("startedAt", job.startedAt())
                .put("finishedAt", job.finishedAt())
                .put("worker", job.worker())
                .id("chainId", job.chainId())
                .put("chainIndex", job.chainIndex())
                .list("dependsOn", job.dependsOn(), JobJson::parent)
                .ids(
                        "dependents",
                        job.dependents().stream().map(JobInfo.Dependency::id).toList())
                .list("awaitedBy", job.dependents(), JobJson::parent)
                .id("workflow", job.workflow())
                .put("tags", job.tags())
                .put("metadata", redacted(job, metadata(job.metadata()), redactor))
                .put("dedupeKey", job.dedupeKey())
                .put("concurrencyKey", job.concurrencyKey())
                .put("waitsForPermit", job.waitsForPermit())
                .put("waitingFor", job.waitingFor())
                .put("wakeAt", job.wakeAt())
                .put("progress", progress(job.progress()));
    }

    private static @Nullable Json redacted(JobInfo job, @Nullable Json document, Redactor redactor) {
        return document == null ? null : redactor.redact(job.type(), document);
    }

    /** Returns metadata as JSON; null without metadata. */
    private static @Nullable Json metadata(Metadata metadata) {
        return metadata.equals(Metadata.none()) ? null : new Json(metadata.json());
    }

    private static @Nullable JsonObject progress(JobInfo.@Nullable Progress progress) {
        return progress == null
                ? null
                : new JsonObject()
                        .put("fraction", progress.fraction())
                        .put("message", progress.message())
                        .put("at", progress.at());
    }

    private static JsonObject line(JobHistory.LogLine line) {
        return new JsonObject().put("at", line.at()).put("level", line.level()).put("message", line.message());
    }

    private static JsonObject parent(JobInfo.Dependency parent) {
        return new JsonObject()
                .id("id", parent.id())
                .put("state", parent.state())
                .put("onFailure", lower(parent.onFailure()));
    }

    private static JsonObject attempt(JobHistory.Attempt attempt) {
        return new JsonObject()
                .put("run", attempt.run())
                .put("attempt", attempt.attempt())
                .put("worker", attempt.worker())
                .put("outcome", attempt.outcome())
                .put("errorCode", attempt.errorCode())
                .put("errorDetail", attempt.errorDetail())
                .put("startedAt", attempt.startedAt())
                .put("finishedAt", attempt.finishedAt())
                .put("output", attempt.output())
                .put("stackTrace", attempt.stackTrace());
    }

    private static JsonObject step(JobInfo job, JobHistory.Step step, Redactor redactor) {
        return new JsonObject()
                .put("name", step.name())
                .put("kind", step.kind())
                .put("state", step.state())
                .put("result", redacted(job, step.result(), redactor))
                .put("at", step.finishedAt() == null ? step.startedAt() : step.finishedAt())
                .put("untilAt", step.until());
    }

    private static JsonObject event(JobHistory.Event event) {
        return new JsonObject()
                .put("at", event.at())
                .put("event", event.event())
                .put("actor", event.actor())
                .put("detail", event.detail());
    }

    /** Returns a choice as the word of an option, such as {@code wait}. */
    static String lower(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }
}
