package dev.windrow.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The peer db-scheduler with one-time tasks. Tasks that its own process schedules for now run at once. */
final class DbSchedulerPeer extends Peer {
    private static final Duration POLL = Duration.ofMillis(100);

    /** The table and indexes of its documentation for SQLite. */
    private static final List<String> ON_SQLITE = List.of("""
            CREATE TABLE scheduled_tasks (
                task_name varchar(100),
                task_instance varchar(100),
                task_data blob,
                execution_time TIMESTAMP,
                picked BIT,
                picked_by varchar(50),
                last_success TIMESTAMP,
                last_failure TIMESTAMP,
                consecutive_failures INT,
                last_heartbeat TIMESTAMP,
                version BIGINT,
                priority SMALLINT,
                PRIMARY KEY (task_name, task_instance))
            """, """
            CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time)
            """, """
            CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat)
            """, """
            CREATE INDEX priority_execution_time_idx ON scheduled_tasks (priority DESC, execution_time ASC)
            """);

    /**
     * The table and indexes of its documentation for PostgreSQL. The index for priorities alone is omitted, because it
     * slows the peer down.
     */
    private static final List<String> ON_POSTGRES = List.of("""
            CREATE TABLE scheduled_tasks (
                task_name text NOT NULL,
                task_instance text NOT NULL,
                task_data bytea,
                execution_time timestamp with time zone NOT NULL,
                picked boolean NOT NULL,
                picked_by text,
                last_success timestamp with time zone,
                last_failure timestamp with time zone,
                consecutive_failures int,
                last_heartbeat timestamp with time zone,
                version bigint NOT NULL,
                priority smallint,
                PRIMARY KEY (task_name, task_instance))
            """, """
            CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time)
            """, """
            CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat)
            """);

    /** Counts the unfinished tasks. A row is deleted when its task has ended. */
    private static final String UNFINISHED = """
            SELECT count(*) FROM scheduled_tasks
            """;

    private final List<String> tables;
    private final UnaryOperator<SchedulerBuilder> tuning;

    private DbSchedulerPeer(Place place, String setup, List<String> tables, UnaryOperator<SchedulerBuilder> tuning) {
        super("db-scheduler", place, setup);
        this.tables = tables;
        this.tuning = tuning;
    }

    /** Creates the peer for SQLite. With tuning by hand it has a longer fetch and a shorter poll. */
    static DbSchedulerPeer onSqlite(SqliteFile place) {
        return new DbSchedulerPeer(
                place,
                place.setup(),
                ON_SQLITE,
                builder -> place.byHand() ? builder.pollUsingFetch(1.0, 50.0).pollingInterval(POLL) : builder);
    }

    /**
     * Creates the peer for PostgreSQL. It claims with SKIP LOCKED, at most 4 jobs a thread at once, as its
     * documentation recommends for throughput.
     */
    static DbSchedulerPeer onPostgres(PostgresSchema place) {
        return onPostgres(place, "lock-and-fetch 1, 4", 1.0, 4.0);
    }

    /** Creates the same peer with longer fetches than its documentation recommends. */
    static DbSchedulerPeer onPostgresWithLongFetches(PostgresSchema place) {
        return onPostgres(place, "lock-and-fetch 4, 50", 4.0, 50.0);
    }

    private static DbSchedulerPeer onPostgres(PostgresSchema place, String setup, double lower, double upper) {
        return new DbSchedulerPeer(
                place,
                setup,
                ON_POSTGRES,
                builder -> builder.pollUsingLockAndFetch(lower, upper).pollingInterval(POLL));
    }

    @Override
    Subject open(Place.Ground ground, Ledger ledger) throws SQLException {
        HikariDataSource pool = ground.pool();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String table : tables) {
                statement.execute(table);
            }
        }
        OneTimeTask<String> noOp =
                Tasks.oneTime("no-op", String.class).execute((instance, context) -> ledger.ran(instance.getData()));
        return new Subject() {
            // On SQLite each row of a batch is a transaction. With autocommit off, both ways to schedule a batch end in
            // SQLITE_BUSY here.
            private final SchedulerClient client =
                    SchedulerClient.Builder.create(pool, noOp).build();
            private @Nullable Scheduler worker;

            private TaskInstance<String> task(int number) {
                return noOp.instance(Integer.toString(number), Ledger.payload(number));
            }

            @Override
            public void enqueue(int number) {
                SchedulerClient by = worker == null ? client : worker;
                by.scheduleIfNotExists(task(number), Instant.now());
            }

            @Override
            public void enqueueAll(int first, int count) {
                Stream<TaskInstance<?>> tasks = Stream.iterate(first, number -> number < first + count, n -> n + 1)
                        .map(this::task);
                client.scheduleBatch(tasks, Instant.now());
            }

            @Override
            public void work(int slots) {
                Scheduler started = tuning.apply(
                                Scheduler.create(pool, noOp).threads(slots).enableImmediateExecution())
                        .build();
                started.start();
                worker = started;
            }

            @Override
            public long unfinished() throws SQLException {
                return Place.count(pool, UNFINISHED);
            }

            @Override
            public void close() {
                if (worker != null) {
                    worker.stop();
                }
                pool.close();
            }
        };
    }
}
