package dev.windrow.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** db-scheduler with one-time tasks; by hand: a longer fetch and a shorter poll. */
record DbSchedulerPeer(SqliteFile sqlite) implements Peer {
    /** Table and indexes as its documentation has them for SQLite. */
    private static final List<String> TABLES = List.of("""
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

    /** A row is deleted when its task has ended. */
    private static final String UNFINISHED = """
            SELECT count(*) FROM scheduled_tasks
            """;

    @Override
    public String name() {
        return "db-scheduler";
    }

    @Override
    public String setup() {
        return sqlite.setup();
    }

    @Override
    public Durability durability() {
        return sqlite.durability();
    }

    @Override
    public Subject open(Path file, Ledger ledger) throws SQLException {
        HikariDataSource pool = sqlite.open(file);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String table : TABLES) {
                statement.execute(table);
            }
        }
        OneTimeTask<String> noOp =
                Tasks.oneTime("no-op", String.class).execute((instance, context) -> ledger.ran(instance.getData()));
        return new Subject() {
            // Each row of a batch is a transaction: with autocommit off, both ways of it end in SQLITE_BUSY here.
            private final SchedulerClient client =
                    SchedulerClient.Builder.create(pool, noOp).build();
            private @Nullable Scheduler worker;

            private TaskInstance<String> task(int number) {
                return noOp.instance(Integer.toString(number), Ledger.payload(number));
            }

            @Override
            public void enqueue(int number) {
                client.scheduleIfNotExists(task(number), Instant.now());
            }

            @Override
            public void enqueueAll(int first, int count) {
                Stream<TaskInstance<?>> tasks = Stream.iterate(first, number -> number < first + count, n -> n + 1)
                        .map(this::task);
                client.scheduleBatch(tasks, Instant.now());
            }

            @Override
            public void work(int slots) {
                SchedulerBuilder builder = Scheduler.create(pool, noOp).threads(slots);
                if (sqlite.byHand()) {
                    builder.pollUsingFetch(1.0, 50.0).pollingInterval(Duration.ofMillis(100));
                }
                worker = builder.build();
                worker.start();
            }

            @Override
            public long unfinished() throws SQLException {
                try (Connection connection = DriverManager.getConnection(pool.getJdbcUrl());
                        Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery(UNFINISHED)) {
                    rows.next();
                    return rows.getLong(1);
                }
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
