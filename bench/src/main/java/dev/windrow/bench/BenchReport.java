package dev.windrow.bench;

import dev.windrow.sqlite.Durability;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The measured figures; null for omitted ones. Rates are jobs a second. By default a figure is the median of the runs,
 * and a ratio is the median of the ratios of each round.
 *
 * @param database name and version of the database
 * @param durability the event that each commit survived
 * @param bareLoop the same writes without an engine; only on files, like the ratios to it
 * @param endToEnd enqueue and drain at the same time
 * @param drain drain of jobs that were enqueued before
 * @param enqueue enqueue without a worker
 * @param startLatency the time from the call of enqueue to the start of the handler
 * @param commit a lone synchronous enqueue, alternately with the samples of the start latencies
 * @param rawFlush the bytes of a lone enqueue, written and forced without a database
 * @param claimFlatness claim and settle with many finished jobs, and with many jobs of a key that is paused or full
 * @param processes several worker processes on one database
 * @param scale all verbs on a file with many jobs in every state
 * @param bloat the space and dead rows that finished jobs leave on a server
 * @param longTransaction claims while a transaction of another connection is open
 * @param dependents claims while other jobs wait for a parent, and the end of a parent of many
 * @param warmUp the run that is not counted
 * @param runs the number of counted runs
 */
public record BenchReport(
        String database,
        Durability durability,
        BareLoopRates bareLoop,
        Compared endToEnd,
        Compared drain,
        EnqueueRates enqueue,
        StartLatencies startLatency,
        Commit commit,
        RawFlush rawFlush,
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
     * A rate of the engine and its ratio to that of the bare loop.
     *
     * @param jobsPerSecond the engine's rate
     * @param ratio the engine's rate divided by the bare loop's rate of the same round
     * @param cpuMicros the processor time of a job
     */
    public record Compared(
            @Nullable Double jobsPerSecond, @Nullable Double ratio, CpuMicros cpuMicros) {
        static final Compared NONE = new Compared(null, null, CpuMicros.NONE);
    }

    /**
     * The processor time of a run, divided by its jobs, in microseconds; null if the platform does not know it.
     *
     * @param process all threads of the process
     * @param writer the thread that writes the store; on a server, the two that settle and claim
     * @param slots the slots of the worker, which run handlers and queue settlements
     * @param callers the thread that enqueues, which also commits while it is alone; in a drain, that which starts the
     *     worker
     */
    public record CpuMicros(
            @Nullable Double process,
            @Nullable Double writer,
            @Nullable Double slots,
            @Nullable Double callers) {
        static final CpuMicros NONE = new CpuMicros(null, null, null, null);

        /** Returns the time of the other threads of the engine, the store and the JVM; null if a part is unknown. */
        public @Nullable Double rest() {
            return process == null || writer == null || slots == null || callers == null
                    ? null
                    : (Double) Math.max(0, process - writer - slots - callers);
        }
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
     * The time that a job waits for an idle worker.
     *
     * @param sameProcess with the worker in the process that enqueues
     * @param otherProcess with the worker in another process
     */
    public record StartLatencies(Percentiles sameProcess, Percentiles otherProcess) {
        static final StartLatencies NONE = new StartLatencies(Percentiles.NONE, Percentiles.NONE);
    }

    /**
     * A lone synchronous enqueue, and on servers the round trips of a job: messages with an answer, on average without a
     * pause.
     *
     * @param p50Millis half took at most this long, 15 ms after the last work
     * @param roundTrips of the enqueue
     * @param claimAndSettleRoundTrips of the claim of one job and its settlement, without a start
     */
    public record Commit(
            @Nullable Double p50Millis,
            @Nullable Double roundTrips,
            @Nullable Double claimAndSettleRoundTrips) {}

    /**
     * The percentiles of all jobs of one run.
     *
     * @param p50Millis half took at most this long
     * @param p99Millis 99 of 100 took at most this long
     */
    public record Percentiles(
            @Nullable Double p50Millis, @Nullable Double p99Millis) {
        static final Percentiles NONE = new Percentiles(null, null);
    }

    /**
     * The limit of a caller that waits for each commit. It is measured on files only, with durability FULL, in the same
     * folder, beside {@link EnqueueRates} and {@link StartLatencies}.
     *
     * @param bytes the length of each write, as much as a lone enqueue appends to SQLite's log
     * @param perSecond writes a second, one after the other
     * @param afterPauseP50Millis the median time of a write 15 ms after the last work
     * @param oneThreadRatio the rate of {@link EnqueueRates#oneThread}, divided by the writes of the same round
     * @param startLatencyRatio the median start latency in the same process, divided by the median write after a pause
     */
    public record RawFlush(
            @Nullable Integer bytes,
            @Nullable Double perSecond,
            @Nullable Double afterPauseP50Millis,
            @Nullable Double oneThreadRatio,
            @Nullable Double startLatencyRatio) {
        static final RawFlush NONE = new RawFlush(null, null, null, null, null);
    }

    /**
     * The cost of history, and of jobs that wait for a key.
     *
     * @param p50Ratio the median time of a claim and settle with many finished jobs, divided by that with ten thousand
     * @param finishedRows the number of finished jobs in the larger file
     * @param pausedKeyP50Ratio the median time of a claim that must pass ready jobs of a paused key, divided by that
     *     without them
     * @param fullKeyP50Ratio the same ratio for a full key
     * @param keyRows the number of jobs of these keys
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
     * The cost of taking turns between processes.
     *
     * @param count the number of worker processes
     * @param sumToOne their rate together, divided by that of one process in the same round
     * @param minToMaxShare the smallest number of jobs of a process, divided by the largest one
     * @param twoToOne the rate of two processes, divided by that of one in the same round
     * @param coldSumToOne the rate together of the processes in their first run, divided by that of another one in its
     *     first run; one sample
     */
    public record Shares(
            @Nullable Integer count,
            @Nullable Double sumToOne,
            @Nullable Double minToMaxShare,
            @Nullable Double twoToOne,
            @Nullable Double coldSumToOne) {
        static final Shares NONE = new Shares(null, null, null, null, null);
    }

    /**
     * The cost of size. A ratio is the median time with many jobs, divided by that with few.
     *
     * @param finishedRows the number of finished jobs in the larger file
     * @param waitingRows the number of its scheduled, blocked and ready jobs, each
     * @param otherRows the number of ready jobs before the claimed ones that a claim could not have: of another type,
     *     or paused
     * @param seededPerSecond jobs a second that were written to it by SQL
     * @param bytesPerJob its size divided by its jobs
     * @param enqueue a hundred jobs by one call
     * @param claim a hundred jobs by one claim
     * @param settle their starts and settlements
     * @param statistics the counts of everything
     * @param firstPage the newest 20 jobs
     * @param hundredthPage 20 jobs, 1980 after the newest
     * @param show the whole history of one of the ten thousand jobs that finished last
     * @param showAny the same of any finished job, whose pages may have to come from the disk
     * @param heapMegabytes the heap of the worker that then drained the ready jobs
     * @param drainJobsPerSecond the rate of that drain
     * @param logMegabytes the largest size of SQLite's log during the drain
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
     * The space and dead rows that finished jobs leave on a server.
     *
     * @param jobs the number of jobs
     * @param bytesPerJob the size of all tables and indexes divided by the jobs
     * @param renewalHotShare the share of renewals that touched no index
     * @param updateHotShare the share of all updates of jobs that touched no index
     * @param vacuumedByServer true if the server vacuumed by itself; false if the measurement ran the vacuum
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
     * Claims while a transaction of another connection is open from before the first job.
     *
     * @param p50Ratio the median time of a claim of the last tenth, divided by that of the first
     * @param p50RatioWithout the same ratio without such a transaction
     * @param lastP50Millis the median time of a claim of the last tenth
     * @param lastP50MillisWithout the same time without such a transaction
     * @param timeRatio the time of all claims and settlements, divided by that without such a transaction
     * @param enqueueP50Millis the median time of a single enqueue after as many delayed jobs have run
     * @param enqueueP50MillisWithout the same time without such a transaction
     */
    public record Held(
            @Nullable Double p50Ratio,
            @Nullable Double p50RatioWithout,
            @Nullable Double lastP50Millis,
            @Nullable Double lastP50MillisWithout,
            @Nullable Double timeRatio,
            @Nullable Double enqueueP50Millis,
            @Nullable Double enqueueP50MillisWithout) {
        static final Held NONE = new Held(
                /* p50Ratio= */ null,
                /* p50RatioWithout= */ null,
                /* lastP50Millis= */ null,
                /* lastP50MillisWithout= */ null,
                /* timeRatio= */ null,
                /* enqueueP50Millis= */ null,
                /* enqueueP50MillisWithout= */ null);
    }

    /**
     * Jobs that wait for other jobs.
     *
     * @param blockedRows the number of jobs that waited while others were claimed
     * @param claimP50Ratio the median time of a claim of a hundred and their settlement, divided by that without
     *     waiting jobs
     * @param children the number of children of one parent
     * @param releaseSeconds the time from the settlement of that parent to the release of its last child
     * @param enqueueP50Millis the median time of a lone enqueue during the release
     * @param enqueueLongestMillis the longest time of a lone enqueue during the release
     * @param enqueueP50MillisBefore the median time before the parent ended
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
     * The run that is not counted, for comparison with the others.
     *
     * @param fusedJobsPerSecond the bare loop
     * @param endToEndJobsPerSecond the engine, enqueue and drain at the same time
     * @param drainJobsPerSecond the engine, only drain
     */
    public record WarmUp(
            @Nullable Double fusedJobsPerSecond,
            @Nullable Double endToEndJobsPerSecond,
            @Nullable Double drainJobsPerSecond) {
        static final WarmUp NONE = new WarmUp(null, null, null);
    }
}
