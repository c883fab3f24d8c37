package dev.windrow.engine.worker;

import dev.windrow.RetryRules;
import dev.windrow.TimeSource;
import dev.windrow.engine.Answers;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.Loop;
import dev.windrow.engine.Machine;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.Transition;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.WithdrawProcess;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.payload.SweepStaged;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;

/**
 * Reclaims jobs from dead workers.
 *
 * <p>The wall clock alone is never enough to treat a worker as dead: the clock may be set, and the machine may have
 * slept. A job whose lease looks wrong is only a suspect. It is reclaimed if the same claim still has the same lease
 * half a lease later, by this process's monotonic clock. In between, this process must have committed a write, which
 * shows that a live worker could have renewed. One fact is enough by itself: the kernel of this machine reports that
 * the worker's process has ended.
 */
public final class Reclaimer {
    /** The actor of a reclaim in the event log. */
    static final String ACTOR = "system";

    private static final int PAGE = 1000;
    /**
     * Half of the longest possible lease. A live worker renews every third of its lease, and is not much later than
     * that.
     */
    private static final Duration LONGEST_RENEWAL = Duration.ofMinutes(30);

    private static final Duration SWEEP_EACH = Duration.ofHours(1);
    /** The time that a blob may wait for its job: far longer than any operation takes. */
    static final Duration STAGED_FOR = Duration.ofDays(1);
    /** The number of blob parts that one transaction drops, which takes some milliseconds. */
    public static final int SWEPT = 8;
    /** The number of blob parts that one round drops. */
    private static final int MAX_SWEPT = 400;

    private static final Logger log = SafeLogger.of(Reclaimer.class);

    private final EngineContext context;
    private final OpenStore store;
    private final TimeSource time;
    private final WorkerGroup workers;
    private final Loop loop;
    /**
     * True if no job ran in any process at the last check. The next check comes after a third of a lease, or with a
     * hint.
     */
    private volatile boolean rests;

    private volatile long hintNanos;
    // Used only by the loop.
    private long lastRoundNanos;
    private long lastCensusNanos;
    private long lastSweepNanos;
    private Map<LeaseToken, Sighting> sightings = new HashMap<>();

    /** The data of a suspect at its first sighting. */
    private record Sighting(long leaseUntilMillis, long sinceNanos, long patienceNanos) {}

    Reclaimer(EngineContext context, WorkerGroup workers) {
        this.context = context;
        this.store = context.store();
        this.time = context.time();
        this.workers = workers;
        this.lastRoundNanos = time.nanoTime();
        this.hintNanos = lastRoundNanos;
        this.lastCensusNanos = lastRoundNanos - Duration.ofDays(1).toNanos();
        this.lastSweepNanos = lastCensusNanos;
        this.loop = new Loop("windrow-reclaim", time, this::round);
    }

    void start() {
        loop.start();
    }

    Health.Task task() {
        return loop.task();
    }

    void close() {
        loop.stopAndJoin(Duration.ofSeconds(5));
    }

    private long round() {
        Duration lease = workers.longestLease();
        if (lease == null) {
            sightings = new HashMap<>();
            return Duration.ofSeconds(10).toNanos();
        }
        long now = time.nanoTime();
        long sixth = lease.toNanos() / 6;
        if (now - lastRoundNanos > 3 * sixth) {
            // This process was suspended, or a lock delayed it. Other processes may have been delayed as well, and had
            // no time to renew since.
            sightings = new HashMap<>();
        }
        lastRoundNanos = now;
        // After a failed round all sightings begin again. The cause of the failure may have kept other processes from
        // renewing.
        Map<LeaseToken, Sighting> before = sightings;
        sightings = new HashMap<>();
        List<WorkerInfo> registry = store.workers();
        boolean all = ofEndedProcesses(registry, now, lease);
        all &= leases(lease, before, now + sixth);
        // This completes the work of processes that died halfway: they had freed a key permit and not granted it, or
        // released only some of the children of an ended job.
        KeyLimits.admit(store);
        if (!all) {
            return 0;
        }
        rests = sightings.isEmpty() && registry.stream().noneMatch(WorkerInfo::holdsJobs);
        // The jobs of the last hint may have been claimed since the check, or may be claimed soon.
        rests &= time.nanoTime() - hintNanos > 2 * sixth;
        sweep(now);
        return rests ? 2 * sixth : sixth;
    }

    /**
     * Drops blobs whose jobs or results were never written, because the process died in between. Drops the remaining
     * parts of long blobs whose jobs are deleted. It comes last in a round and works in batches, because leases are
     * more important.
     */
    private void sweep(long now) {
        if (now - lastSweepNanos < SWEEP_EACH.toNanos()) {
            return;
        }
        lastSweepNanos = now;
        long swept;
        long all = 0;
        do {
            swept = Answers.get(store, new SweepStaged(STAGED_FOR.toMillis(), SWEPT));
            all += swept;
        } while (swept == SWEPT && all < MAX_SWEPT);
        if (all > 0) {
            log.info("{} parts of long payloads and results that belong to no job were dropped", all);
        }
        if (swept == SWEPT) {
            lastSweepNanos = now - SWEEP_EACH.toNanos(); // The next round continues.
            return;
        }
        // Their rows were deleted with their jobs, or were never written.
        int files = context.payloads().sweepFiles(time.now().minus(STAGED_FOR));
        if (files > 0) {
            log.info("{} files without blobs were deleted", files);
        }
    }

    /**
     * Handles a hint that work may exist, for any process: jobs may run now even if none ran at the last check. On a
     * thread of the store.
     */
    void hint() {
        hintNanos = time.nanoTime();
        if (rests) {
            rests = false;
            loop.signal();
        }
    }

    /**
     * Reclaims the jobs of processes of this machine that have ended by the kernel's report. Such a process cannot come
     * back, so its jobs are reclaimed before their leases end. The entry in the registry is deleted last, so that the
     * next round can continue. Returns true if nothing is left to do.
     */
    private boolean ofEndedProcesses(List<WorkerInfo> registry, long now, Duration lease) {
        // Asking the kernel costs more than the rest of a round. A worker that holds no jobs can wait.
        boolean idleToo = now - lastCensusNanos >= lease.toNanos();
        if (idleToo) {
            lastCensusNanos = now;
        }
        Set<String> asked = new HashSet<>();
        boolean all = true;
        for (WorkerInfo worker : registry) {
            String process = worker.process();
            if (process != null
                    && (idleToo || worker.holdsJobs())
                    && asked.add(process)
                    && !process.equals(Machine.process())
                    && Machine.hasEnded(process)) {
                all &= ofEndedProcess(process, now + lease.toNanos() / 6);
            }
        }
        return all;
    }

    private boolean ofEndedProcess(String process, long untilNanos) {
        List<Suspect> held;
        do {
            held = store.heldBy(process, PAGE);
            List<Suspect> gone = held.stream()
                    .filter(job -> !workers.leaseToken(job.leaseToken()))
                    .toList();
            if (!gone.isEmpty()) {
                takeBack(gone, Long.MAX_VALUE);
            }
        } while (held.size() == PAGE && time.nanoTime() - untilNanos < 0);
        if (held.size() == PAGE) {
            return false;
        }
        Answers.get(store, new WithdrawProcess(process));
        return true;
    }

    /**
     * Checks the leases, page by page and for a limited time; returns true if it has reached the end. A suspect that it
     * has not reached keeps the time of its first sighting, because the unchanged lease is the proof.
     */
    private boolean leases(Duration lease, Map<LeaseToken, Sighting> sighted, long untilNanos) {
        Map<LeaseToken, Sighting> before = new HashMap<>(sighted);
        Map<LeaseToken, Sighting> seen = new HashMap<>();
        List<Suspect> fresh = new ArrayList<>();
        Suspect last = null;
        boolean more;
        do {
            List<Suspect> page = store.suspects(lease.toMillis(), last, PAGE);
            takeBackGone(page, lease, before, seen, fresh);
            more = page.size() == PAGE;
            last = more ? page.get(PAGE - 1) : last;
        } while (more && time.nanoTime() - untilNanos < 0);
        if (more) {
            seen.putAll(before);
        }
        if (!fresh.isEmpty() || !seen.isEmpty()) {
            Answers.get(store, new Touch());
        }
        // A sighting counts from a write of this process. Before that write, a lock may have kept the holder from
        // renewing.
        long since = time.nanoTime();
        for (Suspect suspect : fresh) {
            seen.put(
                    suspect.leaseToken(),
                    new Sighting(
                            suspect.leaseUntilMillis(),
                            since,
                            patience(suspect, lease).toNanos()));
        }
        sightings = seen;
        return !more;
    }

    /**
     * Reclaims the suspects of a page that were seen for long enough; the others go into {@code seen} or {@code fresh}.
     */
    private void takeBackGone(
            List<Suspect> page,
            Duration lease,
            Map<LeaseToken, Sighting> before,
            Map<LeaseToken, Sighting> seen,
            List<Suspect> fresh) {
        long now = time.nanoTime();
        List<Suspect> gone = new ArrayList<>();
        for (Suspect suspect : page) {
            Sighting sighting = before.remove(suspect.leaseToken());
            if (sighting == null || sighting.leaseUntilMillis != suspect.leaseUntilMillis()) {
                fresh.add(suspect);
            } else if (now - sighting.sinceNanos < sighting.patienceNanos || workers.leaseToken(suspect.leaseToken())) {
                // A job of this process is alive, even if its renewal is late.
                seen.put(suspect.leaseToken(), sighting);
            } else {
                gone.add(suspect);
            }
        }
        if (!gone.isEmpty()) {
            takeBack(gone, lease.toMillis() / 3);
        }
    }

    /**
     * Returns how long a suspect must remain unchanged: half of the longer one of two leases, the holder's and that of
     * this process. A live worker renews every third; the rest of the time is for a late renewal.
     */
    private Duration patience(Suspect suspect, Duration lease) {
        Duration holders = Duration.ofMillis(suspect.holderLeaseMillis());
        if (!holders.isZero()) {
            return (holders.compareTo(lease) > 0 ? holders : lease).dividedBy(2);
        }
        Duration ahead =
                Duration.ofMillis(suspect.leaseUntilMillis() - time.now().toEpochMilli());
        if (ahead.compareTo(lease) <= 0) {
            return lease.dividedBy(2);
        }
        // The holder's lease is unknown. It may be longer than the one of this process, and then its holder renews less
        // often.
        return ahead.compareTo(LONGEST_RENEWAL) < 0 ? ahead : LONGEST_RENEWAL;
    }

    private void takeBack(List<Suspect> gone, long withinMillis) {
        takeBack(context, workers::retryRules, gone, withinMillis);
    }

    /**
     * Takes jobs back from workers that are gone.
     *
     * @param rules the retry rules of a type
     * @param withinMillis the end of a lease, from now, up to which it is ended; {@link Long#MAX_VALUE} for any
     */
    static void takeBack(
            EngineContext context, Function<String, RetryRules> rules, List<Suspect> gone, long withinMillis) {
        long now = context.time().now().toEpochMilli();
        List<Orphan> reclaims = new ArrayList<>(gone.size());
        for (Suspect suspect : gone) {
            reclaims.add(Outcomes.reclaim(suspect, rules.apply(suspect.type()), now, context.random(), ACTOR));
        }
        List<Orphan> applied = Answers.get(context.store(), new Reclaim(reclaims, withinMillis));
        if (!applied.isEmpty()) {
            log.info(
                    "{} jobs were reclaimed from workers that no longer renew their leases: {} run again, {} are FAILED, {} CANCELLED",
                    applied.size(),
                    count(applied, Transition.RETRY_LATER),
                    count(applied, Transition.FAIL),
                    count(applied, Transition.CANCEL_RUNNING));
            applied.forEach(context.failures()::reclaimed);
            context.listeners().tell(() -> new WindrowEvent.JobsReclaimed(applied.size()));
        }
    }

    private static long count(List<Orphan> reclaims, Transition transition) {
        return reclaims.stream()
                .filter(reclaim -> reclaim.transition() == transition)
                .count();
    }
}
