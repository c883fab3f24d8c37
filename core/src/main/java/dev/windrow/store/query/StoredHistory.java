package dev.windrow.store.query;

import dev.windrow.JobHistory;
import dev.windrow.payload.Json;
import org.jspecify.annotations.Nullable;

/** The history of a job as it is stored. A long payload or result is the name of its blob. */
public interface StoredHistory extends JobHistory {
    /** Returns the same history with another payload and another result. */
    JobHistory with(@Nullable Json payload, @Nullable Json result);
}
