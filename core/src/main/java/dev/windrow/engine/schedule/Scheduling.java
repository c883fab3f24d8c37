package dev.windrow.engine.schedule;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.engine.Answers;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.Loop;
import dev.windrow.engine.monitor.Listeners;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.schedule.DueRuns;
import dev.windrow.store.schedule.DueSchedules;
import dev.windrow.store.schedule.Fire;
import dev.windrow.store.schedule.FireResult;
import dev.windrow.store.schedule.ScheduleRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Enqueues the jobs of schedules when they are due. Every process with a worker does this, for jobs of all types, and
 * the first process wins: its plan is written only if the schedule is unchanged since it was read. The store tells when
 * the next schedule is due. A poll every 5 s (30 s without schedules) backs this, for lost hints and changed clocks.
 */
public final class Scheduling {
    /**
     * The most schedules of one transaction, and about the most jobs that it enqueues. It takes a fraction of a second,
     * in which no other process writes to a SQLite file.
     */
    private static final int PART = 500;

    private static final int JOBS = 2000;
    /** The longest time between two polls. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** The longest time between two polls without schedules. */
    private static final long IDLE_LOOK_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** The time until the next poll after other processes were faster. */
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** The shortest time between two polls, so that one poll finds the schedules that are due together. */
    private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** The first and the longest time between two tries of a schedule that fails. */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long LAST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private static final Logger log = SafeLogger.of(Scheduling.class);

    /** A schedule that fails at this revision, and the time of its next try. */
    private record Failure(long revision, int times, long untilNanos) {}

    private final OpenStore store;
    private final TimeSource time;
    private final Listeners listeners;
    private final Loop loop;
    /**
     * The time of the next poll, by the wall clock. The first poll is immediate, because no hint reports schedules that
     * were stored before this process began.
     */
    private final AtomicLong nextMillis = new AtomicLong(Long.MIN_VALUE);

    private volatile boolean closed;
    // Used only by the loop.
    private long lookNanos;

    private long lastLookNanos;
    private final Map<Long, Failure> failures = new HashMap<>();
    /** The failed schedules that this poll has found due. */
    private final Set<Long> stillFailing = new HashSet<>();

    public Scheduling(EngineContext context) {
        this.store = context.store();
        this.time = context.time();
        this.listeners = context.listeners();
        this.lookNanos = time.nanoTime();
        this.lastLookNanos = lookNanos - GAP_NANOS;
        this.loop = new Loop("windrow-schedules", time, this::round);
    }

    public void start() {
        loop.start();
    }

    public Health.Task task() {
        return loop.task();
    }

    public void close() {
        closed = true;
        loop.stopAndJoin(Duration.ofSeconds(5));
    }

    /** Handles a hint of the store. Called on a thread of the store. */
    public void dueAt(long atMillis) {
        if (nextMillis.getAndAccumulate(atMillis, Math::min) > atMillis) {
            loop.signal();
        }
    }

    /** Fires all due schedules now, for a caller that runs no loop. */
    public void fireDue() {
        long unused = look();
    }

    private long round() {
        long due = nextMillis.get();
        long now = time.nanoTime();
        long wait = Math.max(lastLookNanos + GAP_NANOS - now, Math.min(lookNanos - now, untilMillis(due)));
        if (wait > 0) {
            return wait;
        }
        // A hint from here on may be for a later time than the schedules that this poll finds.
        nextMillis.set(Long.MAX_VALUE);
        boolean done = false;
        try {
            long next = look();
            lastLookNanos = time.nanoTime();
            lookNanos = lastLookNanos + next;
            done = true;
        } finally {
            if (!done) {
                nextMillis.accumulateAndGet(due, Math::min);
            }
        }
        return 0;
    }

    private long untilMillis(long due) {
        long now = time.now().toEpochMilli();
        return due <= now ? 0 : due - now > LOOK_NANOS ? LOOK_NANOS : TimeUnit.MILLISECONDS.toNanos(due - now);
    }

    /** Fires all due schedules; returns the longest time until the next poll. */
    private long look() {
        stillFailing.clear();
        ScheduleRow after = null;
        boolean behind = false;
        DueSchedules found;
        do {
            found = store.dueSchedules(after, PART);
            behind |= !see(found.ahead(), found.nowMillis());
            behind |= !see(found.due(), found.nowMillis());
            after = found.due().size() < PART
                    ? null
                    : found.due().get(found.due().size() - 1);
        } while (after != null && !closed);
        if (after == null) {
            // The other failed schedules were fixed, removed or paused, or another process has fired them.
            failures.keySet().retainAll(stillFailing);
        }
        Long next = found.nextMillis();
        if (next == null) {
            return behind ? IDLE_NANOS : failures.isEmpty() ? IDLE_LOOK_NANOS : FIRST_PAUSE_NANOS;
        }
        long wait = Math.max(0, next - found.nowMillis());
        long untilNext = wait > TimeUnit.NANOSECONDS.toMillis(LOOK_NANOS)
                ? LOOK_NANOS
                : Math.max(1, TimeUnit.MILLISECONDS.toNanos(wait));
        return Math.min(untilNext, behind ? IDLE_NANOS : failures.isEmpty() ? LOOK_NANOS : FIRST_PAUSE_NANOS);
    }

    /** Fires these schedules; false if other processes were faster with some of them, and handle the next ones now. */
    private boolean see(List<ScheduleRow> schedules, long now) {
        List<DueRuns> allDueRuns = new ArrayList<>();
        int jobs = 0;
        boolean first = true;
        for (ScheduleRow schedule : schedules) {
            Failure failure = failures.get(schedule.id());
            if (failure != null && failure.revision != schedule.revision()) {
                failures.remove(schedule.id());
                failure = null;
            }
            if (failure != null) {
                stillFailing.add(schedule.id());
                if (failure.untilNanos - time.nanoTime() > 0) {
                    continue;
                }
            }
            DueRuns dueRuns = plan(schedule, now);
            if (dueRuns == null) {
                continue;
            }
            if (failure == null) {
                if (jobs + dueRuns.dueMillis().size() > JOBS && !allDueRuns.isEmpty()) {
                    first &= together(allDueRuns);
                    allDueRuns = new ArrayList<>();
                    jobs = 0;
                }
                allDueRuns.add(dueRuns);
                jobs += dueRuns.dueMillis().size();
            } else {
                // A failed schedule is not written together with others, because it would make them fail too.
                first &= alone(dueRuns);
            }
        }
        return allDueRuns.isEmpty() ? first : together(allDueRuns) && first;
    }

    private @Nullable DueRuns plan(ScheduleRow schedule, long now) {
        try {
            return Planner.plan(schedule, now);
        } catch (RuntimeException e) {
            failed(schedule, e);
            return null;
        }
    }

    private boolean together(List<DueRuns> allDueRuns) {
        try {
            return fire(allDueRuns) == allDueRuns.size();
        } catch (StoreUnavailableException | OutcomeUnknownException e) {
            throw e;
        } catch (WindrowException e) {
            if (allDueRuns.size() == 1) {
                failed(allDueRuns.get(0).schedule(), e);
                return true;
            }
            log.debug("{} schedules are fired one by one: {}", allDueRuns.size(), e.getMessage());
        }
        boolean first = true;
        for (DueRuns dueRuns : allDueRuns) {
            first &= alone(dueRuns);
        }
        return first;
    }

    private boolean alone(DueRuns dueRuns) {
        boolean first = together(List.of(dueRuns));
        Failure failure = failures.get(dueRuns.schedule().id());
        if (failure != null && failure.untilNanos - time.nanoTime() <= 0) {
            failures.remove(dueRuns.schedule().id());
            log.info(
                    "Schedule {} continues after {} failures",
                    dueRuns.schedule().name(),
                    failure.times);
        }
        return first;
    }

    private int fire(List<DueRuns> allDueRuns) {
        FireResult fired = Answers.get(store, new Fire(allDueRuns));
        if (fired.jobs() > 0) {
            listeners.tell(() -> new WindrowEvent.JobsEnqueued(fired.jobs()));
        }
        for (DueRuns dueRuns : allDueRuns) {
            if (dueRuns.stepBack()) {
                log.warn(
                        "The clock was set back: schedule {} continues from now",
                        dueRuns.schedule().name());
            } else if (dueRuns.missed() != null) {
                log.debug("Schedule {} has missed runs: {}", dueRuns.schedule().name(), dueRuns.missed());
            }
        }
        return fired.schedules();
    }

    /** Records a failure; the schedule is skipped for a while, and no other schedule waits for it. */
    private void failed(ScheduleRow schedule, RuntimeException e) {
        Failure before = failures.get(schedule.id());
        int times = before == null ? 1 : before.times + 1;
        long pause = Math.min(LAST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(times - 1, 20));
        failures.put(schedule.id(), new Failure(schedule.revision(), times, time.nanoTime() + pause));
        stillFailing.add(schedule.id());
        log.error(
                "Schedule {} could not enqueue its job ({} times in a row); it is retried in {} s",
                schedule.name(),
                times,
                TimeUnit.NANOSECONDS.toSeconds(pause),
                e);
    }
}
