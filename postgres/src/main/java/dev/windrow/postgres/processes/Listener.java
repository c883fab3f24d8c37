package dev.windrow.postgres.processes;

import dev.windrow.monitor.Health;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.connection.Threads;
import dev.windrow.postgres.job.ClaimCursors;
import dev.windrow.postgres.job.DueCursor;
import dev.windrow.postgres.job.JobSql;
import dev.windrow.postgres.job.Settles;
import dev.windrow.postgres.schedule.ScheduleSql;
import dev.windrow.postgres.schema.Migrations;
import dev.windrow.postgres.schema.SchemaSql;
import dev.windrow.postgres.step.StepSql;
import dev.windrow.postgres.writer.Learned;
import dev.windrow.postgres.writer.Names;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.postgres.writer.Shared;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.StoreHints;
import dev.windrow.store.job.LeaseToken;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;

/**
 * The thread that gives the hints of other processes to the workers of this one. It uses LISTEN on a separate connection, and a poll every few
 * seconds. A listener that does not receive its own store's ping is deaf. Its connection has broken silently, or leads through a proxy that gives
 * each transaction another server connection. Then it polls more often, and connects again.
 */
public final class Listener implements AutoCloseable {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long DEAF_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The number of polls of a deaf listener before it tries another connection. */
    private static final int DEAF_LOOKS = 30;

    private static final Logger log = SafeLogger.of(Listener.class);

    /** A callback for a migration of the tables to a schema that this code must not use. */
    public interface Incompatible {
        void found(int version);
    }

    private final Database database;
    private final Shared shared;
    private final StoreHints hints;
    private final Notifier notifier;
    private final Incompatible incompatible;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    /** True after the close. Guarded by {@code lock}. */
    private boolean closed;

    private volatile @Nullable Connection connection;
    private volatile @Nullable String problem;
    // Only the listener's thread uses the following fields.
    private boolean heard;
    private boolean loggedDeaf;
    /** The previous prepare threshold of the connection; null if the connection has none. */
    private @Nullable Integer prepareThreshold;
    /** The names and cursors for the run of the server of the connection; null before the first poll. */
    private @Nullable Learned learned;

    public Listener(
            Database database,
            Shared shared,
            StoreHints hints,
            Notifier notifier,
            Incompatible incompatible,
            String name) {
        this.database = database;
        this.shared = shared;
        this.hints = hints;
        this.notifier = notifier;
        this.incompatible = incompatible;
        this.thread = new Thread(this::run, "windrow-listener-" + name);
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    private void run() {
        while (!isClosed()) {
            try {
                listen();
            } catch (Throwable e) {
                goOnAfter(e);
            }
            try {
                Connection open = connection;
                connection = null;
                if (open != null) {
                    giveBack(open);
                }
                pause(DEAF_LOOK_NANOS);
            } catch (Throwable e) {
                // There is no memory for a regular wait.
                LockSupport.parkNanos(DEAF_LOOK_NANOS);
            }
        }
    }

    private void goOnAfter(Throwable e) {
        try {
            if (!isClosed()) {
                String why = e instanceof Error ? SafeLogger.text(e) : e.getMessage();
                if (problem == null) {
                    log.warn("{}: {}; it connects again", thread.getName(), why);
                }
                problem = "cannot listen: " + why;
            }
        } catch (Throwable again) {
            problem = "cannot listen";
        }
    }

    /** Uses one connection until its end. Returns when another connection is worth a try. */
    private void listen() throws SQLException {
        Connection open = database.raw();
        connection = open;
        if (isClosed()) {
            return;
        }
        open.setAutoCommit(true);
        open.setNetworkTimeout(Runnable::run, 0);
        // The connection runs a few statements in some seconds. Prepared statements would gain nothing, and a proxy may
        // lose them.
        prepareThreshold = Session.prepareNothing(open);
        PGConnection listening = open.isWrapperFor(PGConnection.class) ? open.unwrap(PGConnection.class) : null;
        if (listening != null) {
            try (Statement statement = open.createStatement()) {
                statement.execute("LISTEN \"" + database.tables().channel() + '"');
            }
        }
        if (problem != null) {
            log.info("{} listens again", thread.getName());
            problem = null;
        }
        try (PostgresStatements statements = new PostgresStatements(open, database.tables())) {
            int deafLooks = 0;
            heard = false;
            learned = null;
            while (!isClosed() && deafLooks < DEAF_LOOKS) {
                // Notifications may have been sent while the listener was not connected.
                look(statements);
                notifier.ping();
                boolean hears = hear(statements, listening, LOOK_NANOS);
                deafLooks = hears ? 0 : deafLooks + 1;
            }
        }
    }

    /** Listens until the next poll is due. Returns true if it has received its own ping. */
    private boolean hear(PostgresStatements statements, @Nullable PGConnection listening, long nanos)
            throws SQLException {
        boolean heardBefore = heard;
        heard = false;
        long begin = System.nanoTime();
        long deadline = begin + nanos;
        while (!isClosed()) {
            long now = System.nanoTime();
            // It polls more often until it has received its first ping, and after it has missed one.
            long until = heard || heardBefore ? deadline : Math.min(deadline, begin + DEAF_LOOK_NANOS);
            if (now - until >= 0) {
                break;
            }
            if (listening == null) {
                pause(until - now);
            } else {
                PGNotification[] told =
                        listening.getNotifications((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - now)));
                if (told != null) {
                    for (PGNotification notification : told) {
                        told(statements, notification.getParameter());
                    }
                }
            }
        }
        if (!heard && !loggedDeaf && !isClosed()) {
            loggedDeaf = true;
            log.info(
                    "{} receives no notifications, as behind a proxy that pools transactions; it polls each second until it receives one",
                    thread.getName());
        } else if (heard) {
            loggedDeaf = false;
        }
        return heard;
    }

    private void told(PostgresStatements statements, String message) throws SQLException {
        String[] words = message.split(" ", -1);
        if (words[0].equals(notifier.origin())) {
            heard |= words.length == 2;
            return;
        }
        try {
            switch (words.length > 1 ? words[1] : "") {
                case "ready" -> {
                    Names names = known().names();
                    Integer lane = names.laneOrNull(words[2], words[3]);
                    if (lane == null) {
                        names.refresh(statements);
                        lane = names.laneOrNull(words[2], words[3]);
                    }
                    if (lane != null) {
                        known().claimCursors()
                                .ready(
                                        lane,
                                        new ClaimCursors.Place(
                                                Integer.parseInt(words[4]), Long.parseLong(words[5]), 0));
                    }
                    hints.ready(words[2], words[3]);
                }
                case "scheduled" -> known().due().scheduled(Long.parseLong(words[2]));
                case "due" -> hints.ready(words[2], words[3]);
                case "cancel" ->
                    hints.cancelRequested(new LeaseToken(Long.parseLong(words[2]), Long.parseLong(words[3])));
                case "superseded" ->
                    hints.superseded(new LeaseToken(Long.parseLong(words[2]), Long.parseLong(words[3])));
                case "wait" -> hints.waitEnds(shared.clock().toLocal(Long.parseLong(words[2])));
                case "schedule" -> hints.scheduleDue(shared.clock().toLocal(Long.parseLong(words[2])));
                default -> log.trace("Ignored a notification of an unknown kind: {}", message);
            }
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            log.debug("Ignored a notification of another application: {}", message);
        }
    }

    /** Polls the tables, and gives the hints of all processes' work. */
    private void look(PostgresStatements statements) throws SQLException {
        try (ResultSet row = statements.get(SchemaSql.MIN_COMPATIBLE).rows()) {
            if (row.next()) {
                if (row.getInt(1) > Migrations.CURRENT) {
                    incompatible.found(row.getInt(2));
                    return;
                }
                learn(row.getLong(3));
            }
        }
        known().names().refresh(statements);
        List<Names.Lane> ready =
                statements.get(JobSql.READY_LANES).list(rows -> new Names.Lane(rows.getString(1), rows.getString(2)));
        DueCursor.View head = known().due().head();
        Long due = PostgresTransaction.due(
                statements.get(JobSql.NEXT_DUE).set(1, head.from()).rows(), head, true);
        head.move();
        List<LeaseToken> cancelled = new ArrayList<>(Settles.leaseTokens(statements.get(JobSql.CANCEL_REQUESTS)));
        ready.forEach(lane -> hints.ready(lane.queue(), lane.type()));
        if (due != null) {
            hints.due(shared.clock().toLocal(due));
        }
        cancelled.forEach(hints::cancelRequested);
        Long wait = statements.get(StepSql.NEXT_WAIT).oneOrNull();
        if (wait != null) {
            hints.waitEnds(shared.clock().toLocal(wait));
        }
        Long schedule =
                statements.get(ScheduleSql.NEXT_SCHEDULE).set(1, Long.MIN_VALUE).oneOrNull();
        if (schedule != null) {
            hints.scheduleDue(shared.clock().toLocal(schedule));
        }
    }

    private Learned known() {
        return learned == null ? shared.learned() : learned;
    }

    /**
     * Sets the learned names for a new connection, which leads to the current server. An older connection may lead to an old primary that still runs
     * while the other connections lead to the new one. Then it throws.
     */
    private void learn(long run) throws SQLException {
        if (learned == null) {
            learned = shared.learned(run);
        } else if (learned.run() != run || shared.learned().run() != run) {
            throw PostgresErrors.anotherServer();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private void pause(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (left > 0 && !closed) {
                left = ended.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            log.debug("A pause was cut short");
        } finally {
            lock.unlock();
        }
    }

    /** Gives the connection back. Its next user must not listen. */
    private void giveBack(Connection open) {
        try {
            if (!open.isClosed() && problem == null) {
                try (Statement statement = open.createStatement()) {
                    statement.execute("UNLISTEN *");
                }
                if (prepareThreshold != null) {
                    open.unwrap(PGConnection.class).setPrepareThreshold(prepareThreshold);
                }
                open.close();
                return;
            }
        } catch (SQLException | RuntimeException e) {
            log.debug("A listening connection cannot be given back and is ended: {}", e.getMessage());
        }
        end(open);
    }

    /** Ends a connection at once, from any thread. */
    private static void end(Connection open) {
        try {
            open.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            log.debug("Ending a connection: {}", e.getMessage());
        }
        try {
            open.close();
        } catch (SQLException | RuntimeException e) {
            log.debug("Closing a connection: {}", e.getMessage());
        }
    }

    public Health.Task task() {
        return new Health.Task(thread.getName(), thread.isAlive() ? problem : "has ended", Duration.ZERO);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            ended.signalAll();
        } finally {
            lock.unlock();
        }
        // Its own ping wakes the listener. A deaf listener wakes by itself within a second, or loses its connection.
        notifier.ping();
        Threads.join(thread, 2 * DEAF_LOOK_NANOS);
        Connection open = connection;
        if (open != null && thread.isAlive()) {
            end(open);
            Threads.join(thread, database.operationNanos());
        }
    }
}
