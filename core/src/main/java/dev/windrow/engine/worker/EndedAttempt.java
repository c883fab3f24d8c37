package dev.windrow.engine.worker;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobState;
import dev.windrow.monitor.WindrowEvent;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The durable end of an attempt, for listeners. */
record EndedAttempt(
        long id,
        String type,
        String queue,
        int attempt,
        AttemptOutcome outcome,
        JobState state,
        @Nullable String errorCode,
        Duration ran)
        implements WindrowEvent.AttemptEnded {}
