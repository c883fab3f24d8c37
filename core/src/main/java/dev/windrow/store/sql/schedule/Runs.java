package dev.windrow.store.sql.schedule;

import dev.windrow.schedule.ScheduleRun;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.schedule.DueRuns;
import dev.windrow.store.schedule.ScheduleRow;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The runs of schedules in a transaction, for {@link ScheduleTable} and {@link ScheduleRuns}. Each database has statements of its own, which handle
 * many schedules at once.
 */
public interface Runs {
    /**
     * A range of due times of a schedule.
     *
     * @param schedule its id
     * @param from the first one
     * @param to the last one
     */
    record Span(long schedule, long from, long to) {}

    /**
     * The record of a range of due times.
     *
     * @param schedule the id of the schedule
     * @param of the due times
     * @param outcome their outcome
     * @param job the job that was made; null if none was made
     */
    record Run(
            long schedule,
            DueRuns.Missed of,
            ScheduleRun.Outcome outcome,
            @Nullable Long job) {}

    /**
     * A schedule after its runs.
     *
     * @param schedule the schedule as it was read
     * @param next when it is due next
     * @param last the last due time that was decided
     * @param lastJob the last job that was made
     */
    record Done(
            ScheduleRow schedule,
            @Nullable Long next,
            @Nullable Long last,
            @Nullable Long lastJob) {}

    /** Returns the ids of the schedules that have not changed since they were read. Locks their rows against other transactions. */
    Set<Long> asRead(List<ScheduleRow> schedules) throws SQLException;

    /** Returns the due times in these ranges for which jobs were made, by schedule. */
    Map<Long, Set<Long>> made(List<Span> spans) throws SQLException;

    /** Returns the jobs among these whose chains have not ended. */
    Set<Long> openChains(Collection<Long> jobs) throws SQLException;

    /** Makes a job and returns its id. {@link #flush} writes the job. */
    long make(JobRow job) throws SQLException;

    /** Writes the jobs. */
    void flush() throws SQLException;

    /**
     * Writes records of runs. A record of a run with a job is not replaced.
     *
     * @return the number of written records with a job
     */
    long account(List<Run> runs) throws SQLException;

    /**
     * Writes the new state of schedules that have not changed since they were read.
     *
     * @return the number of such schedules
     */
    long fired(List<Done> done) throws SQLException;
}
