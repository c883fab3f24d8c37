package dev.windrow.tests.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AttemptOutcome;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Jobs;
import dev.windrow.payload.Json;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A transaction that other code begins and ends, around code that uses only a {@code DataSource}. The connections of this data source are not the
 * driver's, and closing them has no effect. Spring's proxies represent all proxies of this kind.
 */
@OnEachStore
class SurroundingTransactionTest extends EngineTest {
    private TransactionAwareDataSourceProxy dataSource;
    private TransactionTemplate transaction;
    private JdbcTemplate jdbc;

    @BeforeEach
    void makeTable() {
        // The second proxy opens a connection only for a statement, and not when its settings are made.
        LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy();
        lazy.setDefaultAutoCommit(true);
        lazy.setDefaultTransactionIsolation(
                target.isFile() ? Connection.TRANSACTION_SERIALIZABLE : Connection.TRANSACTION_READ_COMMITTED);
        lazy.setTargetDataSource(new DelegatingDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = target.begin();
                connection.setAutoCommit(true);
                return connection;
            }

            @Override
            public void afterPropertiesSet() {}
        });
        dataSource = new TransactionAwareDataSourceProxy(lazy);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(lazy));
        jdbc = new JdbcTemplate(lazy);
        jdbc.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
    }

    /** Enqueues as a repository does: takes a connection, uses it, closes it. */
    private JobRef<Json> order(int id) {
        jdbc.update("INSERT INTO orders (id) VALUES (?)", id);
        try (Connection connection = dataSource.getConnection()) {
            Jobs jobs = windrow.on(connection);
            return jobs.enqueue(ECHO.job(new Json(Integer.toString(id))));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<Integer> orders() {
        return jdbc.queryForList("SELECT id FROM orders ORDER BY id", Integer.class);
    }

    @Test
    void jobsCommitWithTheSurroundingTransaction() throws Exception {
        List<JobRef<Json>> jobs = Objects.requireNonNull(transaction.execute(status -> {
            List<JobRef<Json>> both = List.of(order(1), order(2));
            assertThat(windrow.job(both.get(0)).exists()).isFalse();
            return both;
        }));
        assertThat(orders()).containsExactly(1, 2);
        start(worker().handle(ECHO, (input, job) -> input));
        for (JobRef<Json> job : jobs) {
            assertThat(windrow.await(job, PATIENCE)).isNotNull();
        }
    }

    @Test
    void jobsRollBackWithTheSurroundingTransaction() {
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    order(1);
                    throw new IllegalStateException("out of stock");
                }))
                .hasMessage("out of stock");
        transaction.executeWithoutResult(status -> {
            order(2);
            status.setRollbackOnly();
        });
        assertThat(orders()).isEmpty();
        assertThat(windrow.monitor().statistics().states())
                .allSatisfy((state, count) -> assertThat(count).isZero());
    }

    @Test
    void aNestedTransactionRollsBackOnlyItsOwnJobs() {
        TransactionTemplate nested =
                new TransactionTemplate(Objects.requireNonNull(transaction.getTransactionManager()));
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        transaction.executeWithoutResult(outer -> {
            order(1);
            nested.executeWithoutResult(inner -> {
                order(2);
                inner.setRollbackOnly();
            });
            nested.executeWithoutResult(inner -> order(3));
        });
        assertThat(orders()).containsExactly(1, 3);
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.PENDING, 2L);
    }

    @Test
    void changesRollBackWithTheSurroundingTransaction() {
        JobRef<Json> job = enqueue(ECHO);
        transaction.executeWithoutResult(status -> {
            try (Connection connection = dataSource.getConnection()) {
                windrow.on(connection).job(job).cancel();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            status.setRollbackOnly();
        });
        assertThat(history(job).job().state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void aHandlersJobEndsWithTheSurroundingTransaction() {
        start(worker().handle(ECHO, (input, job) -> {
            boolean first = job.attempt() == 1;
            transaction.executeWithoutResult(status -> {
                jdbc.update("INSERT INTO orders (id) VALUES (?)", job.attempt());
                try (Connection connection = dataSource.getConnection()) {
                    job.on(connection).complete(new Json("\"done\""));
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
                if (first) {
                    throw JobFailure.retryAfter("TEST:STOCK", "out of stock", Duration.ZERO);
                }
            });
            return null;
        }));
        JobRef<Json> job = enqueue(ECHO);
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(new Json("\"done\""));
        assertThat(orders()).containsExactly(2);
        assertThat(history(job).attempts())
                .extracting(JobHistory.Attempt::outcome)
                .containsExactly(AttemptOutcome.FAILED, AttemptOutcome.SUCCEEDED);
    }

    @Test
    void withoutATransactionTheVerbIsRefused() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            assertThatThrownBy(() -> windrow.on(connection).enqueue(ECHO.job(new Json("1"))))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("autocommit");
        }
    }
}
