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
 * The runs of schedules in a transaction, as {@link ScheduleTable} and {@link ScheduleRuns} ask for them: of many schedules at once, by statements that each
 * database has of its own.
 */
public interface Runs {
    /**
     * Due times of a schedule in a row.
     *
     * @param schedule its id
     * @param from the first one
     * @param to the last one
     */
    record Span(long schedule, long from, long to) {}

    /**
     * An account of due times in a row.
     *
     * @param schedule its id
     * @param of the due times
     * @param outcome of them
     * @param job the job that was made; null if none was
     */
    record Run(
            long schedule,
            DueRuns.Missed of,
            ScheduleRun.Outcome outcome,
            @Nullable Long job) {}

    /**
     * A schedule that was seen to.
     *
     * @param schedule as it was read
     * @param next when it is due next
     * @param last the last due time that was seen to
     * @param lastJob the last job that was made
     */
    record Done(
            ScheduleRow schedule,
            @Nullable Long next,
            @Nullable Long last,
            @Nullable Long lastJob) {}

    /** Returns the ids of those schedules that are as they were read, and which no other transaction changes from now on. */
    Set<Long> asRead(List<ScheduleRow> schedules) throws SQLException;

    /** Returns the due times in these spans for which jobs were made, by schedule. */
    Map<Long, Set<Long>> made(List<Span> spans) throws SQLException;

    /** Returns those of these jobs whose chains go on. */
    Set<Long> openChains(Collection<Long> jobs) throws SQLException;

    /** Makes a job, which is written by {@link #flush}; returns its id. */
    long make(JobRow job) throws SQLException;

    /** Writes the jobs. */
    void flush() throws SQLException;

    /**
     * Writes accounts, none in the place of one for which a job was made.
     *
     * @return how many with jobs it has written
     */
    long account(List<Run> runs) throws SQLException;

    /**
     * Writes what has become of schedules that are as they were read.
     *
     * @return how many of them are
     */
    long fired(List<Done> done) throws SQLException;
}
