package dev.windrow.engine;

import dev.windrow.Json;
import dev.windrow.ScheduleSnapshot;
import dev.windrow.store.ScheduleRow;
import dev.windrow.store.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shows schedules, as they are stored, to people. */
final class Snapshots {
    private static final int NEXT_RUNS = 3;

    private Snapshots() {}

    static ScheduleSnapshot of(ScheduleRow row) {
        Timing timing = row.timing();
        String payload = row.definition().job().payload();
        Long every = timing.everyMillis();
        return new ScheduleSnapshot(
                row.name(),
                row.definition().job().type(),
                row.definition().job().queue(),
                payload == null ? null : new Json(payload),
                timing.cron(),
                timing.zone(),
                every == null ? null : Duration.ofMillis(every),
                instant(timing.saidStartMillis()),
                row.definition().misfire(),
                row.definition().overlap(),
                row.pause(),
                nextRuns(row),
                instant(row.lastAtMillis()),
                row.lastJob(),
                Instant.ofEpochMilli(row.createdAtMillis()),
                row.timing().problem());
    }

    private static @Nullable Instant instant(@Nullable Long millis) {
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }

    private static List<Instant> nextRuns(ScheduleRow row) {
        List<Instant> next = new ArrayList<>();
        Long at = row.nextAtMillis();
        // Written by other code, or for a zone that this machine does not know: the rest is worth being shown.
        boolean readable = row.timing().problem() == null;
        while (at != null && next.size() < NEXT_RUNS) {
            next.add(Instant.ofEpochMilli(at));
            at = readable ? row.timing().next(at) : null;
        }
        return List.copyOf(next);
    }
}
