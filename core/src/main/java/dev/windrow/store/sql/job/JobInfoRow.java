package dev.windrow.store.sql.job;

import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.payload.Metadata;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job as {@link JobInfos} has read it. */
record JobInfoRow(
        long id,
        String type,
        String queue,
        @Nullable String name,
        JobState state,
        long version,
        int priority,
        int attempt,
        int run,
        int maxAttempts,
        @Nullable String errorCode,
        @Nullable String errorDetail,
        Instant createdAt,
        Instant scheduledAt,
        @Nullable Instant startedAt,
        @Nullable Instant finishedAt,
        @Nullable String worker,
        long chainId,
        int chainIndex,
        List<JobInfo.Dependency> dependsOn,
        List<JobInfo.Dependency> dependents,
        List<String> tags,
        Metadata metadata,
        @Nullable String dedupeKey,
        @Nullable String concurrencyKey,
        boolean waitsForPermit,
        JobInfo.@Nullable Waiting waitingFor,
        @Nullable Instant wakeAt,
        @Nullable String traceparent,
        JobInfo.@Nullable Progress progress,
        @Nullable Long workflow)
        implements JobInfo {
    JobInfoRow {
        dependsOn = List.copyOf(dependsOn);
        dependents = List.copyOf(dependents);
        tags = List.copyOf(tags);
    }
}
