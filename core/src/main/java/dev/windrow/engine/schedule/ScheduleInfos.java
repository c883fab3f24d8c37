package dev.windrow.engine.schedule;

import dev.windrow.InvalidRequestException;
import dev.windrow.RetryPolicy;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Limits;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts stored schedules to their public form. */
final class ScheduleInfos {
    private static final int NEXT_RUNS = 3;

    private record Shown(
            String name,
            String type,
            String queue,
            @Nullable Json payload,
            @Nullable String jobName,
            int priority,
            int maxAttempts,
            @Nullable Duration timeout,
            @Nullable RetryPolicy retryPolicy,
            @Nullable ConcurrencyKey concurrencyKey,
            List<String> tags,
            Metadata metadata,
            @Nullable String cron,
            @Nullable String zone,
            @Nullable Duration every,
            @Nullable Instant startsAt,
            Misfire misfire,
            Overlap overlap,
            Limits.@Nullable Pause pause,
            List<Instant> nextRuns,
            @Nullable Instant lastRun,
            @Nullable Long lastJob,
            Instant createdAt,
            @Nullable String problem)
            implements ScheduleInfo {}

    private ScheduleInfos() {}

    static ScheduleInfo of(ScheduleRow row) {
        Timing timing = row.timing();
        JobRow job = row.definition().job();
        String payload = job.payload();
        Long timeout = job.timeoutMillis();
        String metadata = job.metadata();
        Long every = timing.everyMillis();
        return new Shown(
                /* name= */ row.name(),
                /* type= */ job.type(),
                /* queue= */ job.queue(),
                /* payload= */ payload == null ? null : new Json(payload),
                /* jobName= */ job.name(),
                /* priority= */ job.priority(),
                /* maxAttempts= */ job.maxAttempts(),
                /* timeout= */ timeout == null ? null : Duration.ofMillis(timeout),
                /* retryPolicy= */ retryPolicy(job.retryPolicy()),
                /* concurrencyKey= */ job.concurrencyKey(),
                /* tags= */ job.tags(),
                /* metadata= */ metadata == null ? Metadata.none() : Metadata.parse(metadata),
                /* cron= */ timing.cron(),
                /* zone= */ timing.zone(),
                /* every= */ every == null ? null : Duration.ofMillis(every),
                /* startsAt= */ instant(timing.saidStartMillis()),
                /* misfire= */ row.definition().misfire(),
                /* overlap= */ row.definition().overlap(),
                /* pause= */ row.pause(),
                /* nextRuns= */ nextRuns(row),
                /* lastRun= */ instant(row.lastAtMillis()),
                /* lastJob= */ row.lastJob(),
                /* createdAt= */ Instant.ofEpochMilli(row.createdAtMillis()),
                /* problem= */ row.timing().problem());
    }

    /** Returns the policy. Without a readable one the worker uses that of the type, and says so. */
    private static @Nullable RetryPolicy retryPolicy(@Nullable String text) {
        try {
            return text == null ? null : RetryPolicy.parse(text);
        } catch (InvalidRequestException e) {
            return null;
        }
    }

    private static @Nullable Instant instant(@Nullable Long millis) {
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }

    private static List<Instant> nextRuns(ScheduleRow row) {
        List<Instant> next = new ArrayList<>();
        Long at = row.nextAtMillis();
        // The timing may be written by other code, or for a zone that this machine does not know. The rest is still
        // worth showing.
        boolean readable = row.timing().problem() == null;
        while (at != null && next.size() < NEXT_RUNS) {
            next.add(Instant.ofEpochMilli(at));
            at = readable ? row.timing().next(at) : null;
        }
        return List.copyOf(next);
    }
}
