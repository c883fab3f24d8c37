package dev.windrow.engine.retention;

import dev.windrow.Durations;
import dev.windrow.JobHistory;
import dev.windrow.JobState;
import dev.windrow.TimeSource;
import dev.windrow.engine.Answers;
import dev.windrow.engine.Loop;
import dev.windrow.monitor.Health;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.RetentionResult;
import dev.windrow.store.Author;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.processes.EndTask;
import dev.windrow.store.processes.Lead;
import dev.windrow.store.processes.Resign;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The background task that deletes jobs which ended long ago. Each process with a worker checks if a pass is due. The
 * first process that finds a pass due leads the task under a lease, does the pass step by step, and records its end. If
 * that process dies, another process continues after the lease. Two passes at once would do no harm and have no
 * benefit.
 */
public final class Retaining {
    /** The actor in the audit. */
    static final String ACTOR = "retention";

    /** The lease of the process that leads the task. */
    static final Duration LEASE = Duration.ofMinutes(1);
    /** The longest time between two checks if a pass is due. */
    private static final Duration LOOK = Duration.ofMinutes(1);
    /**
     * The tolerated drift of the wall clock from the monotonic clock between two checks. After a larger drift the wall
     * clock was set, or the machine slept.
     */
    private static final Duration DRIFT = Duration.ofMinutes(10);

    private static final Logger log = SafeLogger.of(Retaining.class);

    private final OpenStore store;
    private final TimeSource time;
    private final RandomGenerator random;
    private final Duration every;
    private final BackgroundTask task;
    private final Cleanup cleanup;
    private final LongFunction<Optional<JobHistory>> histories;
    private final Consumer<List<String>> files;
    private final Loop loop;

    // Used only by the loop, and after its end by the thread that closes it.
    private boolean began;
    private @Nullable RetentionPass pass;
    private long takenNanos;
    /** The difference between the store's clock and the monotonic clock at the last check. */
    private @Nullable Long offsetMillis;

    private long failedNanos;
    private @Nullable RuntimeException failure;
    private long distrustNanos;
    private boolean distrusts;

    /**
     * Creates the task without starting it.
     *
     * @param every the time between two passes
     * @param cleanup the options of a pass, with the archive if the program has one
     * @param histories reads a job for the archive
     * @param files deletes files of blobs whose jobs are deleted
     */
    public Retaining(
            OpenStore store,
            TimeSource time,
            RandomGenerator random,
            Duration every,
            Cleanup cleanup,
            LongFunction<Optional<JobHistory>> histories,
            Consumer<List<String>> files) {
        this.store = store;
        this.time = time;
        this.random = random;
        this.every = every;
        this.cleanup = cleanup;
        this.histories = histories;
        this.files = files;
        this.task = new BackgroundTask(
                BackgroundTask.RETENTION,
                "%d-%08x".formatted(ProcessHandle.current().pid(), random.nextInt()),
                LEASE.toMillis(),
                every.toMillis());
        this.loop = new Loop("windrow-retention", time, this::round);
    }

    public void start() {
        loop.start();
    }

    public Health.Task task() {
        return loop.task();
    }

    public void close() {
        if (loop.stopAndJoin(Duration.ofSeconds(5)) && pass != null) {
            pass = null;
            giveUp();
        }
    }

    /**
     * Resigns the task, so that another process can continue the pass at once and need not wait for the end of the
     * lease.
     */
    private void giveUp() {
        Answers.then(store.submit(new Resign(task)), (done, notDone) -> {
            if (notDone != null) {
                log.info(
                        "The background task of retention could not be resigned; its lease ends in {} at most: {}",
                        Durations.text(LEASE),
                        notDone.getMessage());
            }
        });
    }

    private long round() {
        RetentionPass current = pass;
        if (!began) {
            // The first check comes later: a process that lives for some seconds leaves the pass to other processes.
            // Processes that start together do not check at the same time.
            began = true;
            return lookNanos() / 2 + random.nextLong(lookNanos() / 2);
        }
        if (current == null) {
            return begin();
        }
        try {
            return step(current);
        } catch (RuntimeException e) {
            // A later pass finds the remaining jobs again. Another process should do it, because its archive may be
            // writable.
            pass = null;
            failedNanos = time.nanoTime();
            failure = e;
            giveUp();
            throw e;
        }
    }

    private long lookNanos() {
        return Math.min(LOOK.toNanos(), every.toNanos());
    }

    /** Begins a pass if one is due. */
    private long begin() {
        if (failure != null && time.nanoTime() - failedNanos < 2 * LEASE.toNanos()) {
            // The task is not well during this time, and its health shows the cause.
            throw failure;
        }
        failure = null;
        BackgroundTask.State state = store.task(task.name());
        if (!trustsClock(state.nowMillis())) {
            return lookNanos();
        }
        Long last = state.lastMillis();
        if (last != null && last <= state.nowMillis()) {
            long left = Duration.ofMillis(last + task.everyMillis() - state.nowMillis())
                    .toNanos();
            if (left > 0) {
                return Math.min(left, lookNanos());
            }
        }
        if (!take()) {
            return lookNanos();
        }
        pass = new RetentionPass(store, store.retention(), cleanup, false, new Author(ACTOR, null), histories, files);
        return 0;
    }

    /**
     * True if the store's clock has not jumped. A clock that was set far ahead would make all jobs look old. Nothing is
     * deleted for the length of the interval between passes, so that an operator has time to correct the clock.
     */
    private boolean trustsClock(long nowMillis) {
        long offset = nowMillis - Duration.ofNanos(time.nanoTime()).toMillis();
        long stepped = offsetMillis == null ? 0 : offset - offsetMillis;
        offsetMillis = offset;
        if (stepped > DRIFT.toMillis()) {
            distrusts = true;
            distrustNanos = time.nanoTime();
            log.warn(
                    "The clock has jumped ahead by {}, or the machine has slept: retention deletes nothing for the next {}. Check the clock",
                    Durations.text(Duration.ofMillis(stepped)),
                    Durations.text(every));
        }
        if (distrusts && time.nanoTime() - distrustNanos >= every.toNanos()) {
            distrusts = false;
        }
        return !distrusts;
    }

    private boolean take() {
        takenNanos = time.nanoTime();
        return Answers.get(store, new Lead(task));
    }

    private long step(RetentionPass current) {
        if (time.nanoTime() - takenNanos > LEASE.toNanos() / 3 && !take()) {
            log.info("Another process continues the pass of retention");
            pass = null;
            return lookNanos();
        }
        long rest = current.step();
        if (rest != RetentionPass.DONE) {
            return rest;
        }
        pass = null;
        RetentionResult done = current.sofar();
        boolean unused = Answers.get(store, new EndTask(task, detail(done)));
        if (done.total() > 0) {
            log.info("Retention has deleted {} jobs: {}", done.total(), done.deleted());
        }
        return lookNanos();
    }

    /** Returns the text about the last pass that the database stores. */
    private static String detail(RetentionResult done) {
        return "{\"COMPLETED\":%d,\"FAILED\":%d,\"CANCELLED\":%d,\"kept\":%d}"
                .formatted(
                        done.deleted().get(JobState.COMPLETED),
                        done.deleted().get(JobState.FAILED),
                        done.deleted().get(JobState.CANCELLED),
                        done.kept());
    }
}
