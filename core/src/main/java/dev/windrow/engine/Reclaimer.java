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
 * wrong is only a suspect. It is taken back when the same claim still has the same lease a third of a lease later by this
 * process's monotonic clock, with a write of this process committed in between: whoever was alive could have renewed.
 * Only when the kernel of this machine says that the worker's process has ended is that enough by itself.
 */
final class Reclaimer {
    /** Who the event log says took a job back. */
    static final String ACTOR = "system";

    private static final int PAGE = 1000;
    /** How often to look whether processes have ended: what they held waits no longer than this. */
    private static final Duration PROCESSES = Duration.ofSeconds(1);
    /** Half the longest lease that a worker may have: nobody alive renews more rarely than each third, or much later. */
    private static final Duration LONGEST_RENEWAL = Duration.ofMinutes(30);

    private static final Logger log = LoggerFactory.getLogger(Reclaimer.class);

    private final Surroundings surroundings;
    private final Store store;
    private final TimeSource time;
    private final Workers workers;
    private final Loop loop;
    // Used by the loop alone.
    private long leasesAtNanos;
    private Map<Hold, Sighting> sightings = new HashMap<>();

    /** A suspect as it was first seen. */
    private record Sighting(long leaseUntilMillis, long sinceNanos, long patienceNanos) {}

    Reclaimer(Surroundings surroundings, Workers workers) {
        this.surroundings = surroundings;
        this.store = surroundings.store();
        this.time = surroundings.time();
        this.workers = workers;
        this.leasesAtNanos = time.nanoTime();
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
        ofEndedProcesses();
        long now = time.nanoTime();
        if (now - leasesAtNanos >= 0) {
            leasesAtNanos = now + lease.toNanos() / 3;
            if (leases(lease)) {
                leasesAtNanos = now;
            }
        }
        return Math.max(0, Math.min(leasesAtNanos - time.nanoTime(), PROCESSES.toNanos()));
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
            if (!held.isEmpty()) {
                takeBack(held);
            }
            if (held.size() < PAGE) {
                Answers.get(store.withdrawProcess(process), "withdrawing the workers of a process that has ended");
            }
        }
    }

    /** One look at the leases; returns whether there was more than one page of dead ones. */
    private boolean leases(Duration lease) {
        List<Suspect> suspects = store.suspects(lease.toMillis(), PAGE);
        Map<Hold, Sighting> seen = new HashMap<>();
        List<Suspect> gone = new ArrayList<>();
        long now = time.nanoTime();
        for (Suspect suspect : suspects) {
            Sighting before = sightings.get(suspect.hold());
            if (before == null || before.leaseUntilMillis != suspect.leaseUntilMillis()) {
                before = new Sighting(
                        suspect.leaseUntilMillis(),
                        now,
                        patience(suspect, lease).toNanos());
            }
            seen.put(suspect.hold(), before);
            // A job in our own hands is alive, however late its renewal.
            if (now - before.sinceNanos >= before.patienceNanos && !workers.hold(suspect.hold())) {
                gone.add(suspect);
            }
        }
        if (!gone.isEmpty()) {
            takeBack(gone);
            gone.forEach(suspect -> seen.remove(suspect.hold()));
        }
        if (!seen.isEmpty()) {
            Answers.get(store.touch(), "touching the store");
        }
        // Only now: a sighting counts from a round whose touch was committed.
        sightings = seen;
        return gone.size() == PAGE;
    }

    /** How long a suspect must stay as it is. */
    private Duration patience(Suspect suspect, Duration lease) {
        Duration third = lease.dividedBy(3);
        Duration ahead =
                Duration.ofMillis(suspect.leaseUntilMillis() - time.now().toEpochMilli());
        if (ahead.compareTo(lease) <= 0) {
            return third;
        }
        // The clock has stepped back, or its holder has a longer lease than we know and renews accordingly.
        return ahead.compareTo(LONGEST_RENEWAL) < 0 ? ahead : LONGEST_RENEWAL;
    }

    private void takeBack(List<Suspect> gone) {
        long now = time.now().toEpochMilli();
        List<Reclaim> reclaims = new ArrayList<>(gone.size());
        for (Suspect suspect : gone) {
            reclaims.add(Outcomes.reclaim(suspect, now, surroundings.random(), ACTOR));
        }
        int count = Answers.get(store.reclaim(reclaims), "taking back " + gone.size() + " jobs");
        if (count > 0) {
            log.info("{} jobs of workers that are gone were taken back", count);
            surroundings.listeners().tell(() -> new WindrowEvent.JobsReclaimed(count));
        }
    }
}
