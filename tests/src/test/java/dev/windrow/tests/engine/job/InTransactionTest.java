package dev.windrow.tests.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.AttemptOutcome;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobChain;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.Store;
import dev.windrow.TransitionRefusedException;
import dev.windrow.Worker;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.store.OpenStore;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions on the store's own connections: an application's rows, new jobs and the ends of jobs commit together. */
@OnEachStore
class InTransactionTest extends EngineTest {
    private static final JobType<Integer, String> BOOK = JobType.of("test.book", Integer.class, String.class);

    @Override
    public Store newStore() {
        return target.newStoreBesideTables();
    }

    @BeforeEach
    void makeTable() throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE bookings (id INTEGER, attempt INTEGER)");
        }
    }

    private static void book(Connection connection, int id, int attempt) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO bookings VALUES (%d, %d)".formatted(id, attempt));
        }
    }

    private List<String> bookings() {
        return target.rows("SELECT id || '|' || attempt FROM bookings ORDER BY id, attempt");
    }

    private List<AttemptOutcome> outcomes(JobRef<?> job) {
        return history(job).attempts().stream().map(JobHistory.Attempt::outcome).toList();
    }

    @Test
    void jobsCommitWithTheApplicationsRowsAndWakeWorkersAtOnce() throws SQLException {
        start(worker().handle(ECHO, (input, job) -> input));
        String text = "x".repeat(200_000);
        JobRef<Json> job = windrow.inTransaction(connection -> {
            book(connection, 1, 0);
            return windrow.on(connection).enqueue(ECHO.job(new Json('"' + text + '"')));
        });
        assertThat(bookings()).containsExactly("1|0");
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(new Json('"' + text + '"'));
    }

    @Test
    void anExceptionRollsTheWholeTransactionBack() {
        assertThatThrownBy(() -> windrow.inTransaction(connection -> {
                    book(connection, 1, 0);
                    windrow.on(connection).enqueue(ECHO.job(null));
                    throw new IllegalStateException("out of stock");
                }))
                .hasMessage("out of stock");
        assertThat(bookings()).isEmpty();
        assertThat(windrow.monitor().statistics().states())
                .allSatisfy((state, count) -> assertThat(count).isZero());
    }

    @Test
    void verbsWithOwnTransactionsAreRefusedInsideBeforeTheyWait() throws SQLException {
        JobRef<Json> job = enqueue(ECHO);
        Worker worker = start(worker().handle(BOOK, (id, context) -> ""));
        windrow.inTransaction(connection -> {
            book(connection, 1, 0);
            for (Throwable refusal : List.of(
                    catchThrowable(() -> windrow.enqueue(ECHO, new Json("1"))),
                    catchThrowable(() -> windrow.enqueue(ECHO, new Json('"' + "x".repeat(200_000) + '"'))),
                    catchThrowable(() -> windrow.job(job).cancel()),
                    catchThrowable(windrow::close),
                    catchThrowable(worker::close),
                    catchThrowable(worker::stopNow),
                    catchThrowable(() -> windrow.inTransaction(inner -> 1)))) {
                assertThat(refusal)
                        .isInstanceOf(InvalidRequestException.class)
                        .hasMessageContaining("inside inTransaction");
            }
            assertThat(windrow.enqueueAsync(ECHO.job(null)).toCompletableFuture())
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .withCauseInstanceOf(InvalidRequestException.class);
            return null;
        });
        assertThat(bookings()).containsExactly("1|0");
        assertThat(state(job)).isEqualTo(JobState.PENDING);
        assertThat(windrow.enqueue(ECHO, new Json("1")).id()).isPositive();
    }

    @Test
    void aHandlersJobCompletesInTheTransactionOfItsWrites() throws Exception {
        CountDownLatch hooked = new CountDownLatch(1);
        start(worker().handle(BOOK, (id, job) -> {
            job.afterCommit(hooked::countDown);
            job.progress(0.5, "half");
            job.log(LogLevel.INFO, "about to book");
            String booked = job.completeInTransaction(connection -> {
                book(connection, id, job.attempt());
                if (job.attempt() == 1) {
                    throw JobFailure.retryAfter("TEST:STOCK", "out of stock", Duration.ZERO);
                }
                return "booked " + id;
            });
            assertThat(state(JobRef.raw(job.id()))).isEqualTo(JobState.COMPLETED);
            return booked + ", which does not matter";
        }));
        JobRef<String> job = windrow.enqueue(BOOK, 7);
        assertThat(windrow.await(job, PATIENCE)).isEqualTo("booked 7");
        take(hooked);
        assertThat(bookings()).containsExactly("7|2");
        until(() -> outcomes(job).size() == 2);
        assertThat(outcomes(job)).containsExactly(AttemptOutcome.FAILED, AttemptOutcome.SUCCEEDED);
        until(() -> told(WindrowEvent.AttemptEnded.class).size() == 2);
        assertThat(told(WindrowEvent.AttemptLost.class)).isEmpty();
        // The log was sent before the transaction, on PostgreSQL over another connection.
        until(() -> !history(job).log().isEmpty());
        assertThat(history(job).log()).extracting(JobHistory.LogLine::message).contains("about to book");
    }

    @Test
    void aHandlerThatLostItsJobWritesNothing() throws Exception {
        OpenStore outside = openBareStore();
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        CountDownLatch ended = new CountDownLatch(1);
        start(worker().handle(BOOK, (id, job) -> {
            // Completes the job externally while its handler runs.
            ChangeByFilter.run(
                            outside,
                            Change.byId(Change.Verb.COMPLETE, List.of(job.id()), "test")
                                    .result("\"outside\"")
                                    .build())
                    .join();
            try {
                return job.completeInTransaction(connection -> {
                    book(connection, id, job.attempt());
                    return "inside";
                });
            } catch (TransitionRefusedException e) {
                refusal.set(e);
                throw e;
            } finally {
                ended.countDown();
            }
        }));
        JobRef<String> job = windrow.enqueue(BOOK, 1);
        untilState(job, JobState.COMPLETED);
        take(ended);
        // The handler may have been notified and interrupted before it reached the end of its job.
        if (refusal.get() != null) {
            assertThat(refusal.get()).hasMessageContaining("is not held by this attempt any more");
        }
        assertThat(bookings()).isEmpty();
    }

    @Test
    void theChainContinuesInTheSameTransaction() {
        start(worker().handle(BOOK, (id, job) -> {
            if (id == 0) {
                return "end";
            }
            job.continueWith(BOOK.job(id - 1));
            return job.completeInTransaction(connection -> {
                book(connection, id, job.attempt());
                job.on(connection).enqueue(ECHO.job(null));
                return null;
            });
        }));
        JobRef<String> job = windrow.enqueue(BOOK, 2);
        assertThat(windrow.awaitChain(JobChain.of(BOOK, BOOK).ref(job.id()), PATIENCE))
                .isEqualTo("end");
        assertThat(windrow.job(job).chain().jobs()).hasSize(3);
        assertThat(bookings()).containsExactly("1|1", "2|1");
    }
}
