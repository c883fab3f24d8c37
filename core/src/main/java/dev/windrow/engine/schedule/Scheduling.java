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
 * Makes the jobs of schedules when they are due. Every process with a worker does, whatever types that handles, and whoever is first has done
 * it: what is planned here is written only if the schedule is as it was read. The store tells when the next one is due; a look each few seconds
 * stands behind that, for hints that are lost and clocks that are set.
 */
public final class Scheduling {
    /** How many one transaction sees to, and about how many jobs that makes: a fraction of a second, in which nobody else writes to a file. */
    private static final int PART = 500;

    private static final int JOBS = 2000;
    /** How often to look in any case. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** The same where there are no schedules. */
    private static final long IDLE_LOOK_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** After a look that found what others are doing. */
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** Between two looks in any case: what is due in one moment is found by one. */
    private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** Between tries of a schedule that cannot be seen to, at first and at most. */
    private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long LAST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private static final Logger log = SafeLogger.of(Scheduling.class);

    /** A schedule that cannot be seen to as it is, and when that is tried again. */
    private record Failure(long revision, int times, long untilNanos) {}

    private final OpenStore store;
    private final TimeSource time;
    private final Listeners listeners;
    private final Loop loop;
    /** When to look, by the wall clock. At once at first: what was stored before this process began, nobody tells it. */
    private final AtomicLong nextMillis = new AtomicLong(Long.MIN_VALUE);

    private volatile boolean closed;
    // Used by the loop alone.
    private long lookNanos;

    private long lastLookNanos;
    private final Map<Long, Failure> failures = new HashMap<>();
    /** Those of the failures that this look has found due. */
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

    /** A hint of the store. On one of its threads. */
    public void dueAt(long atMillis) {
        if (nextMillis.getAndAccumulate(atMillis, Math::min) > atMillis) {
            loop.signal();
        }
    }

    private long round() {
        long due = nextMillis.get();
        long now = time.nanoTime();
        long wait = Math.max(lastLookNanos + GAP_NANOS - now, Math.min(lookNanos - now, untilMillis(due)));
        if (wait > 0) {
            return wait;
        }
        // What is told from here on may be due later than what this look finds.
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

    /** Sees to all that are due; answers when to look again at the latest. */
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
            // Others have been mended, removed or paused, or were seen to by others.
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

    /** Sees to these; false if others were quicker with some, who are at the next ones now. */
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
                // Not with the others, whom it would only make fail once more.
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
            log.debug("{} schedules are seen to one by one: {}", allDueRuns.size(), e.getMessage());
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
            log.info("Schedule {} goes on after {} failures", dueRuns.schedule().name(), failure.times);
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
                        "The clock was set back: schedule {} goes on from now",
                        dueRuns.schedule().name());
            } else if (dueRuns.missed() != null) {
                log.debug("Schedule {} has missed runs: {}", dueRuns.schedule().name(), dueRuns.missed());
            }
        }
        return fired.schedules();
    }

    /** It is left alone for a while: nobody else waits for it. */
    private void failed(ScheduleRow schedule, RuntimeException e) {
        Failure before = failures.get(schedule.id());
        int times = before == null ? 1 : before.times + 1;
        long pause = Math.min(LAST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(times - 1, 20));
        failures.put(schedule.id(), new Failure(schedule.revision(), times, time.nanoTime() + pause));
        stillFailing.add(schedule.id());
        log.error(
                "Schedule {} makes no job ({} times in a row); it is tried again in {} s",
                schedule.name(),
                times,
                TimeUnit.NANOSECONDS.toSeconds(pause),
                e);
    }
}
