package dev.windrow.engine.schedule;

import dev.windrow.limit.Limits;
import dev.windrow.payload.Json;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.schedule.ScheduleInfo;
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
        String payload = row.definition().job().payload();
        Long every = timing.everyMillis();
        return new Shown(
                /* name= */ row.name(),
                /* type= */ row.definition().job().type(),
                /* queue= */ row.definition().job().queue(),
                /* payload= */ payload == null ? null : new Json(payload),
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
