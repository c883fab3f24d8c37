package dev.windrow.postgres;

import dev.windrow.monitor.Health;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.connection.Readers;
import dev.windrow.postgres.connection.ServerClock;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.processes.Listener;
import dev.windrow.postgres.processes.Notifier;
import dev.windrow.postgres.schema.Migrations;
import dev.windrow.postgres.schema.SchemaGuard;
import dev.windrow.postgres.writer.CallerTransactions;
import dev.windrow.postgres.writer.CounterCompaction;
import dev.windrow.postgres.writer.ManagedTransactions;
import dev.windrow.postgres.writer.Names;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.postgres.writer.Shared;
import dev.windrow.postgres.writer.TransactionSql;
import dev.windrow.postgres.writer.Witness;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreHints;
import dev.windrow.store.job.Release;
import dev.windrow.store.limit.Admit;
import dev.windrow.store.sql.query.Queries;
import dev.windrow.store.sql.writer.Submission;
import dev.windrow.store.sql.writer.TransactionConnection;
import dev.windrow.store.sql.writer.Visibility;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;

/** The components of a store between its start and its close: writers, notifier, listener, watch and readers. */
final class Running implements AutoCloseable {
    private static final long READ_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final Logger log = SafeLogger.of(Running.class);

    private final Shared shared;
    private final Map<Writer.Kind, Writer> writers = new EnumMap<>(Writer.Kind.class);
    private final Notifier notifier;
    private final Listener listener;
    private final Database database;
    private final Readers readers;
    private final CallerTransactions callers;
    private final ManagedTransactions managed;
    private final Visibility visibility;
    private final ScheduledThreadPoolExecutor watch;
    private final StoreHints hints;

    private Running(
            Database database, String location, StoreEnvironment environment, Shared shared, Writer.Probe probe) {
        String name = database.tables().name("").replaceFirst("_+$", "");
        this.shared = shared;
        this.hints = environment.hints();
        this.notifier = new Notifier(database, name);
        CounterCompaction compaction = new CounterCompaction(database.tables());
        Writer.Diverted patient = new Writer.Diverted() {
            @Override
            public void accept(List<Submission<?>> submissions) {
                writer(Writer.Kind.PATIENT).takeOver(submissions);
            }

            @Override
            public boolean concerns(long job) {
                return writer(Writer.Kind.PATIENT).concerns(job);
            }

            @Override
            public void leftSums() {
                writer(Writer.Kind.ALIVE).poke();
            }
        };
        for (Writer.Kind kind : Writer.Kind.values()) {
            Writer.Chore chore = kind == Writer.Kind.ALIVE
                    ? session -> {
                        shared.minutes().flush(session, shared);
                        return compaction.compact(session);
                    }
                    : session -> false;
            writers.put(
                    kind,
                    new Writer(
                            kind, database, shared, hints, notifier, probe, chore, patient, environment.time(), name));
        }
        this.database = database;
        this.readers = new Readers(database, READ_NANOS, name);
        this.callers = new CallerTransactions(database.tables(), shared);
        this.managed = new ManagedTransactions(database);
        this.visibility = new Visibility(name, PGConnection.class);
        this.listener = new Listener(
                database,
                shared,
                hints,
                notifier,
                version -> writers.values().forEach(writer -> writer.refuse(SchemaGuard.migrated(location, version))),
                name);
        this.watch = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "windrow-watch-" + name);
            thread.setDaemon(true);
            return thread;
        });
        long period = Math.max(TimeUnit.MILLISECONDS.toNanos(10), database.operationNanos() / 10);
        // Its failures are caught and logged, so that the future has no other result.
        var unused = watch.scheduleWithFixedDelay(this::look, period, period, TimeUnit.NANOSECONDS);
    }

    /**
     * Adds the names of a start. Other processes that open the same tables add the same names. It waits for them as long as the operation timeout.
     */
    private static void ensure(Session session, Names names, Names.Used used, long nanos) throws SQLException {
        long begin = System.nanoTime();
        while (true) {
            try {
                names.ensure(session, used);
                return;
            } catch (SQLException e) {
                // The statement has already waited for its 50 ms.
                if (!PostgresErrors.isLocked(e) || System.nanoTime() - begin >= nanos) {
                    throw e;
                }
            }
        }
    }

    /** Migrates the tables, and starts all threads. */
    static Running start(Database database, String location, StoreEnvironment environment, Writer.Probe probe) {
        Shared shared;
        try (Session session = database.borrowOnce()) {
            shared = new Shared(
                    new SchemaGuard(location, Migrations.apply(session, database, location)),
                    new ServerClock(environment.time()),
                    session.run().started(),
                    Shared.controlsLock(database.tables()),
                    database.statementTimeout(),
                    environment.events());
            ensure(session, shared.learned().names(), new Names.Used(), database.operationNanos());
            ServerClock.Asked asked = shared.clock().ask();
            long unused = shared.clock().at(session.get(TransactionSql.NOW).one(), asked);
            session.commit();
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "opening " + location);
        }
        Running running = new Running(database, location, environment, shared, probe);
        running.writers.values().forEach(Writer::start);
        running.notifier.start();
        running.listener.start();
        return running;
    }

    private void look() {
        try {
            writers.values().forEach(Writer::endWaits);
            database.sessions().closeIdle();
        } catch (Throwable e) {
            // An exception that leaves this method would end the watch.
            try {
                log.error("The watch failed with an unexpected error and continues", e);
            } catch (Throwable again) {
                // There is no memory for a log entry.
            }
        }
    }

    Shared shared() {
        return shared;
    }

    Writer writer(Writer.Kind kind) {
        return Objects.requireNonNull(writers.get(kind));
    }

    Readers readers() {
        return readers;
    }

    CallerTransactions callers() {
        return callers;
    }

    ManagedTransactions managed() {
        return managed;
    }

    /** A read that compares with the present time. */
    interface TimedRead<T> {
        T run(PostgresStatements statements, long now) throws SQLException;
    }

    <T> T read(String what, TimedRead<T> read) {
        return readers.read(what, statements -> read.run(statements, now(statements)));
    }

    private long now(PostgresStatements statements) throws SQLException {
        return shared.clock().isServers()
                ? statements.get(TransactionSql.NOW).one()
                : shared.clock().now();
    }

    /**
     * Publishes the notices of a caller's transaction after its commit. The store knows the commit of a managed transaction. Commits of other
     * transactions must be looked for.
     */
    void afterCommit(Connection connection, @Nullable Long newJob, PostgresTransaction tx) {
        String number = tx.number();
        if (!tx.hasNews() || (newJob == null && number == null)) {
            return;
        }
        BooleanSupplier committed = () ->
                newJob != null ? isVisible(newJob) : isAnotherRun(tx) || isCommitted(Objects.requireNonNull(number));
        TransactionConnection borrowed = managedBehind(connection);
        if (borrowed == null) {
            visibility.watch(connection, committed, () -> tell(tx));
        } else {
            borrowed.afterCommit(() -> visibility.notice(committed, () -> tell(tx)));
        }
    }

    /** Returns the connection of a managed transaction; null if it is another connection. */
    static @Nullable TransactionConnection managedBehind(Connection connection) {
        try {
            return TransactionConnection.behind(connection);
        } catch (SQLException e) {
            log.debug("A connection could not be unwrapped; it counts as no managed transaction", e);
            return null;
        }
    }

    /**
     * True if the server has started again since the transaction. Then its number may belong to another transaction, and its commit cannot be
     * checked.
     */
    private boolean isAnotherRun(PostgresTransaction tx) {
        return shared.learned().run() != tx.learned.run();
    }

    private void tell(PostgresTransaction tx) {
        if (isAnotherRun(tx)) {
            tx.tellIfCommitted(hints);
            return;
        }
        tx.committed();
        if (!tx.permits.left().isEmpty()) {
            writer(Writer.Kind.WORK).submit(new Submission<>(new Admit(List.copyOf(tx.permits.left()), false)));
        }
        if (!tx.dependents.left().isEmpty()) {
            writer(Writer.Kind.PATIENT).submit(new Submission<>(new Release(tx.dependents.left())));
        }
        tx.tell(hints);
        tx.tell(notifier);
    }

    private boolean isCommitted(String transaction) {
        return readers.read(
                "reading the status of a transaction",
                statements -> Witness.status(statements, transaction, null).isCommitted());
    }

    private boolean isVisible(long id) {
        return readers.read(
                "reading a job", statements -> Queries.outcome(statements, id).isPresent());
    }

    List<Health.Task> tasks() {
        return List.of(
                writer(Writer.Kind.WORK).task(),
                writer(Writer.Kind.CLAIMS).task(),
                writer(Writer.Kind.PATIENT).task(),
                writer(Writer.Kind.KEYED).task(),
                writer(Writer.Kind.ALIVE).task(),
                notifier.task(),
                listener.task());
    }

    @Override
    public void close() {
        listener.close();
        visibility.close();
        readers.close();
        // The first writers hand work that they cannot do at once to the PATIENT writer.
        writer(Writer.Kind.CLAIMS).close();
        writer(Writer.Kind.WORK).close();
        writer(Writer.Kind.KEYED).close();
        writer(Writer.Kind.PATIENT).close();
        writer(Writer.Kind.ALIVE).close();
        notifier.close();
        watch.shutdownNow();
        database.sessions().close();
    }
}
