package dev.windrow.store.sql.job;

import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.payload.StoredMetadata;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reader of jobs with all that {@link JobInfo} contains: one by one, or many by one statement. */
public interface JobInfos {
    /**
     * The info with the part that only a history needs.
     *
     * @param job the info
     * @param token the token of its last attempt
     */
    record Read(JobInfo job, long token) {}

    /** Reads the jobs among these that exist, newest first. */
    List<Read> read(Statements statements, Collection<Long> ids) throws SQLException;

    /**
     * Returns the info of a row.
     *
     * @param row id, type, queue, name, state, priority, attempts used and at most, error code and detail, times of creation, schedule, start and
     *     end, worker, chain and index in it, traceparent, token, time, fraction and message of its progress, dedupe key, concurrency key, whether it
     *     waits for a permit, workflow, the kind of its wait, the end of the wait, metadata, its run, and the number of its last event
     */
    static Read of(
            ResultSet row, List<JobInfo.Dependency> dependsOn, List<JobInfo.Dependency> dependents, List<String> tags)
            throws SQLException {
        long id = row.getLong(1);
        JobState state = JobState.valueOf(row.getString(5));
        int used = row.getInt(7);
        Long chain = Rows.longOrNull(row, 16);
        JobInfo job = new JobInfoRow(
                /* id= */ id,
                /* type= */ row.getString(2),
                /* queue= */ row.getString(3),
                /* name= */ row.getString(4),
                /* state= */ state,
                /* version= */ JobVersions.of(
                        row.getLong(31), row.getLong(19), state, Rows.longOrNull(row, 13) != null),
                /* priority= */ row.getInt(6),
                /* attempt= */ state == JobState.RUNNING ? used + 1 : used,
                /* run= */ row.getInt(30),
                /* maxAttempts= */ row.getInt(8),
                /* errorCode= */ row.getString(9),
                /* errorDetail= */ row.getString(10),
                /* createdAt= */ Instant.ofEpochMilli(row.getLong(11)),
                /* scheduledAt= */ Instant.ofEpochMilli(row.getLong(12)),
                /* startedAt= */ Rows.instantOrNull(row, 13),
                /* finishedAt= */ Rows.instantOrNull(row, 14),
                /* worker= */ row.getString(15),
                /* chainId= */ chain == null ? id : chain,
                /* chainIndex= */ row.getInt(17),
                /* dependsOn= */ dependsOn,
                /* dependents= */ dependents,
                /* tags= */ tags,
                /* metadata= */ StoredMetadata.of(row.getString(29)),
                /* dedupeKey= */ row.getString(23),
                /* concurrencyKey= */ row.getString(24),
                /* waitsForPermit= */ row.getBoolean(25),
                /* waitingFor= */ waiting(row.getString(27)),
                /* wakeAt= */ Rows.instantOrNull(row, 28),
                /* traceparent= */ row.getString(18),
                /* progress= */ progress(row),
                /* workflow= */ Rows.longOrNull(row, 26));
        return new Read(job, row.getLong(19));
    }

    private static JobInfo.@Nullable Waiting waiting(@Nullable String name) {
        return name == null ? null : JobInfo.Waiting.valueOf(name);
    }

    private static JobInfo.@Nullable Progress progress(ResultSet row) throws SQLException {
        Instant at = Rows.instantOrNull(row, 20);
        if (at == null) {
            return null;
        }
        double fraction = row.getDouble(21);
        return new JobInfo.Progress(row.wasNull() ? null : fraction, row.getString(22), at);
    }
}
