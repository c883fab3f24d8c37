package dev.windrow.engine.worker;

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
import org.slf4j.Logger;

/**
 * Takes back jobs from workers that are gone.
 *
 * <p>The wall clock alone never condemns a worker: it may step, and the machine may have slept. A job whose lease looks
 * wrong is only a suspect. It is taken back when the same claim still has the same lease half a lease later by this
 * process's monotonic clock, with a write of this process committed in between: whoever was alive could have renewed.
 * Only when the kernel of this machine says that the worker's process has ended is that enough by itself.
 */
public final class Reclaimer {
    /** Who the event log says took a job back. */
    static final String ACTOR = "system";

    private static final int PAGE = 1000;
    /** Half the longest lease that a worker may have: nobody alive renews more rarely than each third, or much later. */
    private static final Duration LONGEST_RENEWAL = Duration.ofMinutes(30);

    private static final Duration SWEEP_EACH = Duration.ofHours(1);
    /** How long a blob may wait for its job: far longer than any operation takes. */
    static final Duration STAGED_FOR = Duration.ofDays(1);
    /** Parts of blobs that one transaction drops, which takes some milliseconds. */
    public static final int SWEPT = 8;
    /** The same of a round. */
    private static final int MAX_SWEPT = 400;

    private static final Logger log = SafeLogger.of(Reclaimer.class);

    private final EngineContext context;
    private final OpenStore store;
    private final TimeSource time;
    private final WorkerGroup workers;
    private final Loop loop;
    /** Nothing ran anywhere at the last look: the next one comes after a third of a lease, or with a hint. */
    private volatile boolean rests;

    private volatile long hintNanos;
    // Used by the loop alone.
    private long lastRoundNanos;
    private long lastCensusNanos;
    private long lastSweepNanos;
    private Map<LeaseToken, Sighting> sightings = new HashMap<>();

    /** A suspect as it was first seen. */
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
            // This process stood still, or was kept waiting by a lock: others may have been as well, and have not had
            // their time to renew since.
            sightings = new HashMap<>();
        }
        lastRoundNanos = now;
        // A round that fails begins anew: what kept it from writing may have kept others from renewing.
        Map<LeaseToken, Sighting> before = sightings;
        sightings = new HashMap<>();
        List<WorkerInfo> registry = store.workers();
        boolean all = ofEndedProcesses(registry, now, lease);
        all &= leases(lease, before, now + sixth);
        // What those left behind who died between making room for a concurrency key and giving it away, or in the midst
        // of
        // the children of a job that has ended.
        KeyLimits.admit(store);
        if (!all) {
            return 0;
        }
        rests = sightings.isEmpty() && registry.stream().noneMatch(WorkerInfo::holdsJobs);
        // What was told of may have been claimed since the look, or be about to.
        rests &= time.nanoTime() - hintNanos > 2 * sixth;
        sweep(now);
        return rests ? 2 * sixth : sixth;
    }

    /**
     * Drops blobs that were written for jobs or results that were not written then: their process died in between; and what is left of long ones
     * whose jobs are gone. Last, and a part at a time, because leases matter more.
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
            lastSweepNanos = now - SWEEP_EACH.toNanos(); // The next round goes on.
            return;
        }
        // Their rows went with their jobs, or never were.
        int files = context.payloads().sweepFiles(time.now().minus(STAGED_FOR));
        if (files > 0) {
            log.info("{} files whose blobs are gone were deleted", files);
        }
    }

    /** There may be work, for whatever process: what nobody ran at the last look may run now. On a thread of the store. */
    void hint() {
        hintNanos = time.nanoTime();
        if (rests) {
            rests = false;
            loop.signal();
        }
    }

    /**
     * A process of this machine that the kernel does not know any more cannot come back: what its workers hold is taken
     * back without waiting for the leases. The entry in the registry goes last, so that the next round goes on with it.
     * Returns whether nothing is left to do.
     */
    private boolean ofEndedProcesses(List<WorkerInfo> registry, long now, Duration lease) {
        // To ask the kernel costs more than all else in a round. Who holds nothing can wait.
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
     * One look at the leases, page by page, for a while at most; returns whether it has come to the end. What it has not
     * come to keeps the time since which it was seen: the proof is the unchanged lease.
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
        // A sighting counts from a write of our own on: until then, a lock may have kept its holder from renewing.
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

    /** Takes back those of a page that were seen for long enough; the others go into {@code seen} or {@code fresh}. */
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
                // A job in our own hands is alive, however late its renewal.
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
     * How long a suspect must stay as it is: half a lease, its holder's or ours, whichever is longer. Whoever lives renews
     * each third; the rest is for being late.
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
        // Nobody knows its holder's lease: it may be a longer one than ours, and then it is renewed accordingly.
        return ahead.compareTo(LONGEST_RENEWAL) < 0 ? ahead : LONGEST_RENEWAL;
    }

    private void takeBack(List<Suspect> gone, long withinMillis) {
        long now = time.now().toEpochMilli();
        List<Orphan> reclaims = new ArrayList<>(gone.size());
        for (Suspect suspect : gone) {
            reclaims.add(Outcomes.reclaim(suspect, workers.retryRules(suspect.type()), now, context.random(), ACTOR));
        }
        List<Orphan> applied = Answers.get(store, new Reclaim(reclaims, withinMillis));
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
