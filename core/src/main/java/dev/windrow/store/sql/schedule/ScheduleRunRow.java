package dev.windrow.store.sql.schedule;

import dev.windrow.schedule.ScheduleRun;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A schedule run as it is stored. */
record ScheduleRunRow(
        Instant due,
        Instant until,
        @Nullable Long runs,
        Instant at,
        ScheduleRun.Outcome outcome,
        @Nullable Long job) implements ScheduleRun {}
