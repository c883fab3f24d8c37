package dev.windrow.workflow;

import dev.windrow.JobState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A chain at the moment of the read. Times are by the store's clock, in milliseconds. */
public interface ChainInfo {
    /** The id of the first job, and of the chain. */
    long id();

    /** The name of the type of the first job, as stored. It may be an alias. */
    String type();

    /** The id of the last job so far. */
    long lastJob();

    /** The name of the type of the last job, as stored. It may be an alias. */
    String lastType();

    /** The state of the last job. The chain has ended if it is {@linkplain JobState#isFinished finished}. */
    JobState state();

    /** The number of jobs so far: the last job's index, and one. */
    int length();

    /** The time of the first job's enqueue. */
    Instant createdAt();

    /** The time of the last job's end, or null. */
    @Nullable Instant finishedAt();
}
