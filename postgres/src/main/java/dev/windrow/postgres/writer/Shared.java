package dev.windrow.postgres.writer;

import dev.windrow.EventLevel;
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

/** The state that all transactions of a store share. Safe for use by many threads. */
public final class Shared {
    private final SchemaGuard guard;
    private final ServerClock clock;
    private final long controlsLock;
    private final String statementTimeout;
    private final EventLevel level;
    /** The latest time of a transaction. */
    private final AtomicLong stamps = new AtomicLong();
    /** The highest job id that was taken. */
    private final AtomicLong highestId = new AtomicLong();

    private final AtomicReference<Learned> learned;
    private final Minutes minutes = new Minutes();

    /**
     * Makes the state of a store of which nothing is learned yet.
     *
     * @param guard checks that the queue is still the one that was opened
     * @param run the run of the server in which it was opened
     * @param controlsLock the number of the lock for changes of pauses and limits of queues and types
     * @param statementTimeout the time limit of a statement, in the duration format of PostgreSQL
     * @param level the events that this process writes
     */
    public Shared(
            SchemaGuard guard,
            ServerClock clock,
            long run,
            long controlsLock,
            String statementTimeout,
            EventLevel level) {
        this.guard = guard;
        this.clock = clock;
        this.controlsLock = controlsLock;
        this.statementTimeout = statementTimeout;
        this.level = level;
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

    /** Returns the time limit of a statement, in the duration format of PostgreSQL. */
    String statementTimeout() {
        return statementTimeout;
    }

    EventLevel level() {
        return level;
    }

    AtomicLong stamps() {
        return stamps;
    }

    /** Returns the number of the lock for changes of pauses and limits and for new lanes. */
    public static long controlsLock(Tables tables) {
        return Migrations.lock(tables) + 2;
    }

    public long controlsLock() {
        return controlsLock;
    }

    /** Returns the number of the lock for the enqueue of this job by one message. Some jobs share one. */
    long enqueueLock(long job) {
        return controlsLock + 100 + job % 10_000;
    }

    /** Returns the data learned from the run of the server to which a connection led last. */
    public Learned learned() {
        return Objects.requireNonNull(learned.get());
    }

    /** Returns the data learned from this run of the server. Data of another run is dropped. */
    public Learned learned(long run) {
        return Objects.requireNonNull(learned.updateAndGet(last -> last.run() == run ? last : learn(run)));
    }
}
