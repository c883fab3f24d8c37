package dev.windrow.postgres;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** What all transactions of a store share. Safe for use by many threads. */
final class Shared {
    private final SchemaGuard guard;
    private final ServerClock clock;
    private final long controlsLock;
    private final String statementTimeout;
    /** The latest time that a transaction has had. */
    private final AtomicLong stamps = new AtomicLong();
    /** The highest job id that was taken. */
    private final AtomicLong highestId = new AtomicLong();

    private final AtomicReference<Learned> learned;
    private final Minutes minutes = new Minutes();

    /**
     * Nothing is learned yet.
     *
     * @param guard tells whether the queue is still the one that was opened
     * @param run the run of the server in which it was opened
     * @param controlsLock the number of the lock under which the pauses and limits of queues and types change
     * @param statementTimeout how long a statement may take, as PostgreSQL writes durations
     */
    Shared(SchemaGuard guard, ServerClock clock, long run, long controlsLock, String statementTimeout) {
        this.guard = guard;
        this.clock = clock;
        this.controlsLock = controlsLock;
        this.statementTimeout = statementTimeout;
        this.learned = new AtomicReference<>(learn(run));
    }

    private Learned learn(long run) {
        return new Learned(
                /* run= */ run,
                /* names= */ new Names(guard, run, controlsLock, statementTimeout, clock),
                /* ids= */ new Ids(highestId),
                /* claimCursors= */ new ClaimCursors(),
                /* due= */ new DueCursor(),
                /* passedOver= */ new PassedOver());
    }

    SchemaGuard guard() {
        return guard;
    }

    ServerClock clock() {
        return clock;
    }

    Minutes minutes() {
        return minutes;
    }

    AtomicLong stamps() {
        return stamps;
    }

    /** The number of the lock under which what is said changes, and lanes are added. */
    static long controlsLock(Tables tables) {
        return Migrations.lock(tables) + 2;
    }

    long controlsLock() {
        return controlsLock;
    }

    /** What was learned from the run of the server that a connection was seen to lead to last. */
    Learned learned() {
        return Objects.requireNonNull(learned.get());
    }

    /** What was learned from this run of the server. What was learned from another one is forgotten. */
    Learned learned(long run) {
        return Objects.requireNonNull(learned.updateAndGet(last -> last.run() == run ? last : learn(run)));
    }
}
