package dev.windrow.cli.job;

import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A job as JSON: the common keys of {@code list} and {@code show}, and the keys of the whole history. */
public final class JobFields {
    private JobFields() {}

    public static Fields listed(JobInfo job) {
        return rest(head(job), job).put("traceparent", job.traceparent());
    }

    static Fields history(JobHistory history) {
        JobInfo job = history.job();
        Fields fields = head(job).put("payload", history.payload()).put("result", history.result());
        return rest(fields, job)
                .put("log", history.log().stream().map(JobFields::line).toList())
                .put("droppedLines", history.droppedLines())
                .put("traceparent", job.traceparent())
                .put("attemptsLeftOut", history.attemptsLeftOut())
                .put("steps", history.steps().stream().map(JobFields::step).toList())
                .put(
                        "attempts",
                        history.attempts().stream().map(JobFields::attempt).toList())
                .put("events", history.events().stream().map(JobFields::event).toList());
    }

    private static Fields head(JobInfo job) {
        return new Fields()
                .id("id", job.id())
                .put("type", job.type())
                .put("queue", job.queue())
                .put("name", job.name())
                .put("state", job.state())
                .put("priority", job.priority())
                .put("run", job.run())
                .put("attempt", job.attempt())
                .put("maxAttempts", job.maxAttempts());
    }

    private static Fields rest(Fields fields, JobInfo job) {
        return fields.put("errorCode", job.errorCode())
                .put("errorDetail", job.errorDetail())
                .put("createdAt", job.createdAt())
                .put("scheduledAt", job.scheduledAt())
                .put("startedAt", job.startedAt())
                .put("finishedAt", job.finishedAt())
                .put("worker", job.worker())
                .id("chainId", job.chainId())
                .put("chainIndex", job.chainIndex())
                .put(
                        "dependsOn",
                        job.dependsOn().stream().map(JobFields::parent).toList())
                .put(
                        "dependents",
                        ids(job.dependents().stream()
                                .map(JobInfo.Dependency::id)
                                .toList()))
                .put(
                        "awaitedBy",
                        job.dependents().stream().map(JobFields::parent).toList())
                .put("workflow", job.workflow() == null ? null : job.workflow().toString())
                .put("tags", job.tags())
                .put("metadata", metadata(job.metadata()))
                .put("dedupeKey", job.dedupeKey())
                .put("concurrencyKey", job.concurrencyKey())
                .put("waitsForPermit", job.waitsForPermit())
                .put("waitingFor", job.waitingFor())
                .put("wakeAt", job.wakeAt())
                .put("progress", progress(job.progress()));
    }

    /** Returns the JSON object; null without metadata. */
    static @Nullable Json metadata(Metadata metadata) {
        return metadata.equals(Metadata.none()) ? null : new Json(metadata.json());
    }

    private static @Nullable Fields progress(JobInfo.@Nullable Progress progress) {
        return progress == null
                ? null
                : new Fields()
                        .put("fraction", progress.fraction())
                        .put("message", progress.message())
                        .put("at", progress.at());
    }

    private static Fields line(JobHistory.LogLine line) {
        return new Fields().put("at", line.at()).put("level", line.level()).put("message", line.message());
    }

    public static List<String> ids(List<Long> ids) {
        return ids.stream().map(String::valueOf).toList();
    }

    static Fields parent(JobInfo.Dependency parent) {
        return new Fields()
                .id("id", parent.id())
                .put("state", parent.state())
                .put("onFailure", lower(parent.onFailure()));
    }

    private static Fields attempt(JobHistory.Attempt attempt) {
        return new Fields()
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

    private static Fields step(JobHistory.Step step) {
        return new Fields()
                .put("name", step.name())
                .put("kind", step.kind())
                .put("state", step.state())
                .put("result", step.result())
                .put("at", step.finishedAt() == null ? step.startedAt() : step.finishedAt())
                .put("untilAt", step.until());
    }

    private static Fields event(JobHistory.Event event) {
        return new Fields()
                .put("at", event.at())
                .put("event", event.event())
                .put("actor", event.actor())
                .put("detail", event.detail());
    }

    /** Returns the word of the option {@code --on-parent-failure}. */
    private static String lower(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }
}
