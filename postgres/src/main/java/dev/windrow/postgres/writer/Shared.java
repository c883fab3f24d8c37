package dev.windrow.postgres.writer;

import dev.windrow.postgres.connection.ServerClock;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.postgres.job.ClaimCursors;
import dev.windrow.postgres.job.DueCursor;
import dev.windrow.postgres.job.PassedOver;
import dev.windrow.postgres.schema.Migrations;
import dev.windrow.postgres.schema.SchemaGuard;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** What all transactions of a store share. Safe for use by many threads. */
public final class Shared {
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
    public Shared(SchemaGuard guard, ServerClock clock, long run, long controlsLock, String statementTimeout) {
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

    public ServerClock clock() {
        return clock;
    }

    public Minutes minutes() {
        return minutes;
    }

    AtomicLong stamps() {
        return stamps;
    }

    /** The number of the lock under which what is said changes, and lanes are added. */
    public static long controlsLock(Tables tables) {
        return Migrations.lock(tables) + 2;
    }

    public long controlsLock() {
        return controlsLock;
    }

    /** What was learned from the run of the server that a connection was seen to lead to last. */
    public Learned learned() {
        return Objects.requireNonNull(learned.get());
    }

    /** What was learned from this run of the server. What was learned from another one is forgotten. */
    public Learned learned(long run) {
        return Objects.requireNonNull(learned.updateAndGet(last -> last.run() == run ? last : learn(run)));
    }
}
