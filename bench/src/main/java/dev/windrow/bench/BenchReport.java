package dev.windrow.bench;

import dev.windrow.sqlite.Durability;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was measured; null where it was left out. Rates are jobs a second. Unless said otherwise a figure is the median of
 * the runs, and a ratio the median of the ratios of each round.
 *
 * @param database name and version of the database
 * @param durability what each commit survived
 * @param bareLoop the same writes without an engine; on files alone, like the ratios to it
 * @param endToEnd enqueue and drain at once
 * @param drain drain of jobs that were enqueued before
 * @param enqueue enqueue without a worker
 * @param startLatency from the call of enqueue to the start of the handler
 * @param commitP50Millis a lone synchronous enqueue, by turns with those of the start latencies
 * @param claimFlatness claim and settle behind many finished jobs, and behind many of a key that is paused or full
 * @param processes several worker processes on one database
 * @param scale all verbs on a file with many jobs in every state
 * @param bloat what finished jobs leave on a server
 * @param longTransaction claims while a transaction of somebody else stays open
 * @param dependents claims beside jobs that wait for a parent, and the end of a parent of many
 * @param warmUp the run that is not counted
 * @param runs how many runs are counted
 */
public record BenchReport(
        String database,
        Durability durability,
        BareLoopRates bareLoop,
        Compared endToEnd,
        Compared drain,
        EnqueueRates enqueue,
        StartLatencies startLatency,
        @Nullable Double commitP50Millis,
        Flatness claimFlatness,
        Shares processes,
        Scale scale,
        Left bloat,
        Held longTransaction,
        Dependents dependents,
        WarmUp warmUp,
        int runs) {

    /**
     * The bare loop.
     *
     * @param fusedJobsPerSecond insert, claim and settle in one transaction of 1000 jobs
     * @param drainJobsPerSecond claim and settle of jobs that were inserted before
     */
    public record BareLoopRates(
            @Nullable Double fusedJobsPerSecond, @Nullable Double drainJobsPerSecond) {
        static final BareLoopRates NONE = new BareLoopRates(null, null);
    }

    /**
     * A rate of the engine beside that of the bare loop.
     *
     * @param jobsPerSecond the engine's
     * @param ratio the engine's by the bare loop's of the same round
     */
    public record Compared(
            @Nullable Double jobsPerSecond, @Nullable Double ratio) {
        static final Compared NONE = new Compared(null, null);
    }

    /**
     * Enqueue, each call durable when it returns or its future completes.
     *
     * @param oneThread single jobs from one thread
     * @param eightThreads single jobs from eight threads
     * @param sixtyFourThreads single jobs from 64 threads
     * @param bulk a thousand jobs a call, from one thread
     * @param async single jobs from one thread that does not wait for each
     */
    public record EnqueueRates(
            @Nullable Double oneThread,
            @Nullable Double eightThreads,
            @Nullable Double sixtyFourThreads,
            @Nullable Double bulk,
            @Nullable Double async) {
        static final EnqueueRates NONE = new EnqueueRates(null, null, null, null, null);
    }

    /**
     * How long a job waits for an idle worker.
     *
     * @param sameProcess with the worker in the process that enqueues
     * @param otherProcess with the worker in another one
     */
    public record StartLatencies(Percentiles sameProcess, Percentiles otherProcess) {
        static final StartLatencies NONE = new StartLatencies(Percentiles.NONE, Percentiles.NONE);
    }

    /**
     * Of all jobs of one run.
     *
     * @param p50Millis half took at most this long
     * @param p99Millis 99 of 100 took at most this long
     */
    public record Percentiles(
            @Nullable Double p50Millis, @Nullable Double p99Millis) {
        static final Percentiles NONE = new Percentiles(null, null);
    }

    /**
     * What history costs, and what waits for a key.
     *
     * @param p50Ratio the median time of a claim and settle behind many finished jobs, by that behind ten thousand
     * @param finishedRows how many finished jobs the larger file had
     * @param pausedKeyP50Ratio the median time of a claim behind ready jobs of a paused key, by that without them
     * @param fullKeyP50Ratio the same of a full key
     * @param keyRows how many jobs these keys had
     */
    public record Flatness(
            @Nullable Double p50Ratio,
            @Nullable Integer finishedRows,
            @Nullable Double pausedKeyP50Ratio,
            @Nullable Double fullKeyP50Ratio,
            @Nullable Integer keyRows) {
        static final Flatness NONE = new Flatness(null, null, null, null, null);
    }

    /**
     * What turns cost.
     *
     * @param count worker processes
     * @param sumToOne their rate together, by that of one process in the same round
     * @param minToMaxShare jobs of the process that ran least, by those of the one that ran most
     * @param twoToOne the rate of two processes, by that of one in the same round
     */
    public record Shares(
            @Nullable Integer count,
            @Nullable Double sumToOne,
            @Nullable Double minToMaxShare,
            @Nullable Double twoToOne) {
        static final Shares NONE = new Shares(null, null, null, null);
    }

    /**
     * What size costs. Ratios are of the median times behind many jobs, by those behind few.
     *
     * @param finishedRows how many finished jobs the larger file had
     * @param waitingRows how many it had scheduled, blocked and ready, each
     * @param otherRows how many were ready before those that a claim could not have: of another type, or paused
     * @param seededPerSecond jobs a second that were written to it by SQL
     * @param bytesPerJob its size by its jobs
     * @param enqueue a hundred jobs by one call
     * @param claim a hundred jobs by one claim
     * @param settle their starts and settlements
     * @param statistics the counts of everything
     * @param firstPage the newest 20 jobs
     * @param hundredthPage 20 jobs, 1980 after the newest
     * @param show all that is known of one of the ten thousand jobs that were the last to finish
     * @param showAny the same of any finished job, whose pages may have to come from the disk
     * @param heapMegabytes the heap of the worker that then drained what was ready
     * @param drainJobsPerSecond how fast it did
     * @param logMegabytes the largest size of SQLite's log meanwhile
     */
    public record Scale(
            @Nullable Integer finishedRows,
            @Nullable Integer waitingRows,
            @Nullable Integer otherRows,
            @Nullable Double seededPerSecond,
            @Nullable Double bytesPerJob,
            @Nullable Double enqueue,
            @Nullable Double claim,
            @Nullable Double settle,
            @Nullable Double statistics,
            @Nullable Double firstPage,
            @Nullable Double hundredthPage,
            @Nullable Double show,
            @Nullable Double showAny,
            @Nullable Integer heapMegabytes,
            @Nullable Double drainJobsPerSecond,
            @Nullable Double logMegabytes) {
        static final Scale NONE = new Scale(
                /* finishedRows= */ null,
                /* waitingRows= */ null,
                /* otherRows= */ null,
                /* seededPerSecond= */ null,
                /* bytesPerJob= */ null,
                /* enqueue= */ null,
                /* claim= */ null,
                /* settle= */ null,
                /* statistics= */ null,
                /* firstPage= */ null,
                /* hundredthPage= */ null,
                /* show= */ null,
                /* showAny= */ null,
                /* heapMegabytes= */ null,
                /* drainJobsPerSecond= */ null,
                /* logMegabytes= */ null);
    }

    /**
     * What finished jobs leave on a server.
     *
     * @param jobs how many there were
     * @param bytesPerJob all tables and indexes by the jobs
     * @param renewalHotShare the part of renewals that touched no index
     * @param updateHotShare the part of all updates of jobs that touched none
     * @param vacuumedByServer whether the server vacuumed by itself; if not, it was told to
     * @param tables the tables, the largest with its indexes first
     * @param indexes the indexes, the largest first
     */
    public record Left(
            @Nullable Integer jobs,
            @Nullable Double bytesPerJob,
            @Nullable Double renewalHotShare,
            @Nullable Double updateHotShare,
            @Nullable Boolean vacuumedByServer,
            List<TableSize> tables,
            List<IndexSize> indexes) {
        static final Left NONE = new Left(
                /* jobs= */ null,
                /* bytesPerJob= */ null,
                /* renewalHotShare= */ null,
                /* updateHotShare= */ null,
                /* vacuumedByServer= */ null,
                /* tables= */ List.of(),
                /* indexes= */ List.of());
    }

    /**
     * A table.
     *
     * @param name its name
     * @param bytes its size without indexes, after the vacuum
     * @param deadBefore its dead rows before the vacuum
     * @param deadAfter its dead rows after the vacuum
     */
    public record TableSize(String name, long bytes, long deadBefore, long deadAfter) {}

    /**
     * An index.
     *
     * @param table the table's name
     * @param name its name
     * @param bytes its size after the vacuum
     */
    public record IndexSize(String table, String name, long bytes) {}

    /**
     * Claims while a transaction of somebody else stays open from before the first job.
     *
     * @param p50Ratio the median time of a claim of the last tenth, by that of the first
     * @param p50RatioWithout the same without such a transaction
     * @param lastP50Millis the median time of a claim of the last tenth
     * @param lastP50MillisWithout the same without such a transaction
     * @param timeRatio the time of all claims and settlements, by that without
     */
    public record Held(
            @Nullable Double p50Ratio,
            @Nullable Double p50RatioWithout,
            @Nullable Double lastP50Millis,
            @Nullable Double lastP50MillisWithout,
            @Nullable Double timeRatio) {
        static final Held NONE = new Held(null, null, null, null, null);
    }

    /**
     * Jobs that wait for others.
     *
     * @param blockedRows how many jobs waited while others were claimed
     * @param claimP50Ratio the median time of a claim of a hundred and their settlement, by that without jobs that wait
     * @param children how many children one parent had
     * @param releaseSeconds from the settlement of that parent to the release of its last child
     * @param enqueueP50Millis the median time of a lone enqueue meanwhile
     * @param enqueueLongestMillis the longest one
     * @param enqueueP50MillisBefore the median before the parent ended
     */
    public record Dependents(
            @Nullable Integer blockedRows,
            @Nullable Double claimP50Ratio,
            @Nullable Integer children,
            @Nullable Double releaseSeconds,
            @Nullable Double enqueueP50Millis,
            @Nullable Double enqueueLongestMillis,
            @Nullable Double enqueueP50MillisBefore) {
        static final Dependents NONE = new Dependents(
                /* blockedRows= */ null,
                /* claimP50Ratio= */ null,
                /* children= */ null,
                /* releaseSeconds= */ null,
                /* enqueueP50Millis= */ null,
                /* enqueueLongestMillis= */ null,
                /* enqueueP50MillisBefore= */ null);
    }

    /**
     * The run that is not counted, to be seen beside the others.
     *
     * @param fusedJobsPerSecond the bare loop
     * @param endToEndJobsPerSecond the engine, enqueue and drain at once
     * @param drainJobsPerSecond the engine, drain alone
     */
    public record WarmUp(
            @Nullable Double fusedJobsPerSecond,
            @Nullable Double endToEndJobsPerSecond,
            @Nullable Double drainJobsPerSecond) {
        static final WarmUp NONE = new WarmUp(null, null, null);
    }
}
