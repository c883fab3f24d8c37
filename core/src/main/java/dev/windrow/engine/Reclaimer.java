package dev.windrow.engine;

import dev.windrow.Health;
import dev.windrow.TimeSource;
import dev.windrow.WindrowEvent;
import dev.windrow.WorkerSnapshot;
import dev.windrow.store.Hold;
import dev.windrow.store.Reclaim;
import dev.windrow.store.Store;
import dev.windrow.store.Suspect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes back jobs from workers that are gone.
 *
 * <p>The wall clock alone never condemns a worker: it may step, and the machine may have slept. A job whose lease looks
 * wrong is only a suspect. It is taken back when the same claim still has the same lease half a lease later by this
 * process's monotonic clock, with a write of this process committed in between: whoever was alive could have renewed.
 * Only when the kernel of this machine says that the worker's process has ended is that enough by itself.
 */
final class Reclaimer {
    /** Who the event log says took a job back. */
    static final String ACTOR = "system";

    private static final int PAGE = 1000;
    /** Half the longest lease that a worker may have: nobody alive renews more rarely than each third, or much later. */
    private static final Duration LONGEST_RENEWAL = Duration.ofMinutes(30);

    private static final Logger log = LoggerFactory.getLogger(Reclaimer.class);

    private final Surroundings surroundings;
    private final Store store;
    private final TimeSource time;
    private final Workers workers;
    private final Loop loop;
    // Used by the loop alone.
    private long lastRoundNanos;
    private Map<Hold, Sighting> sightings = new HashMap<>();

    /** A suspect as it was first seen. */
    private record Sighting(long leaseUntilMillis, long sinceNanos, long patienceNanos) {}

    Reclaimer(Surroundings surroundings, Workers workers) {
        this.surroundings = surroundings;
        this.store = surroundings.store();
        this.time = surroundings.time();
        this.workers = workers;
        this.lastRoundNanos = time.nanoTime();
        this.loop = new Loop("windrow-reclaim", time, this::round);
    }

    void start() {
        loop.start();
    }

    Health.Duty duty() {
        return loop.duty();
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
            // their
            // time to renew since.
            sightings = new HashMap<>();
        }
        lastRoundNanos = now;
        // A round that fails begins anew: what kept it from writing may have kept others from renewing.
        Map<Hold, Sighting> before = sightings;
        sightings = new HashMap<>();
        ofEndedProcesses();
        return leases(lease, before) ? 0 : sixth;
    }

    /**
     * A process of this machine that the kernel does not know any more cannot come back: what its workers hold is taken
     * back without waiting for the leases. The entry in the registry goes last, so that the next round goes on with it.
     */
    private void ofEndedProcesses() {
        Set<String> ended = new HashSet<>();
        for (WorkerSnapshot worker : store.workers()) {
            String process = worker.process();
            if (process != null && !process.equals(Machine.process()) && Machine.hasEnded(process)) {
                ended.add(process);
            }
        }
        for (String process : ended) {
            List<Suspect> held = store.heldBy(process, PAGE);
            List<Suspect> gone =
                    held.stream().filter(job -> !workers.hold(job.hold())).toList();
            if (!gone.isEmpty()) {
                takeBack(gone, Long.MAX_VALUE);
            }
            if (held.size() < PAGE) {
                Answers.get(store.withdrawProcess(process), "withdrawing the workers of a process that has ended");
            }
        }
    }

    /** One look at the leases; returns whether there was more than one page of dead ones. */
    private boolean leases(Duration lease, Map<Hold, Sighting> sighted) {
        List<Suspect> suspects = store.suspects(lease.toMillis(), PAGE);
        Map<Hold, Sighting> seen = new HashMap<>();
        List<Suspect> fresh = new ArrayList<>();
        List<Suspect> gone = new ArrayList<>();
        long now = time.nanoTime();
        for (Suspect suspect : suspects) {
            Sighting before = sighted.get(suspect.hold());
            if (before == null || before.leaseUntilMillis != suspect.leaseUntilMillis()) {
                fresh.add(suspect);
            } else if (now - before.sinceNanos < before.patienceNanos || workers.hold(suspect.hold())) {
                // A job in our own hands is alive, however late its renewal.
                seen.put(suspect.hold(), before);
            } else {
                gone.add(suspect);
            }
        }
        if (!gone.isEmpty()) {
            takeBack(gone, lease.toMillis() / 3);
        }
        if (!fresh.isEmpty() || !seen.isEmpty()) {
            Answers.get(store.touch(), "touching the store");
        }
        // A sighting counts from a write of our own on: until then, a lock may have kept its holder from renewing.
        long since = time.nanoTime();
        for (Suspect suspect : fresh) {
            seen.put(
                    suspect.hold(),
                    new Sighting(
                            suspect.leaseUntilMillis(),
                            since,
                            patience(suspect, lease).toNanos()));
        }
        sightings = seen;
        return gone.size() == PAGE;
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
        List<Reclaim> reclaims = new ArrayList<>(gone.size());
        for (Suspect suspect : gone) {
            reclaims.add(Outcomes.reclaim(suspect, now, surroundings.random(), ACTOR));
        }
        int count = Answers.get(store.reclaim(reclaims, withinMillis), "taking back " + gone.size() + " jobs");
        if (count > 0) {
            log.info("{} jobs of workers that are gone were taken back", count);
            surroundings.listeners().tell(() -> new WindrowEvent.JobsReclaimed(count));
        }
    }
}
