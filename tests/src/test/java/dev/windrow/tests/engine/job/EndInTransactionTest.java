package dev.windrow.tests.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.JobChain;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.TransitionRefusedException;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.query.JobFilter;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Handlers that end their jobs in the transaction in which they write. */
@OnEachStore
class EndInTransactionTest extends EngineTest {
    private static final JobType<Integer, String> BOOK = JobType.of("test.book", Integer.class, String.class);

    @BeforeEach
    void makeTable() throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE bookings (id INTEGER, attempt INTEGER)");
        }
    }

    private static void book(Connection connection, int id, JobContext job) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO bookings VALUES (%d, %d)".formatted(id, job.attempt()));
        }
    }

    private List<String> bookings() {
        return target.rows("SELECT id || '|' || attempt FROM bookings ORDER BY id, attempt");
    }

    private List<AttemptOutcome> outcomes(JobRef<?> job) {
        return history(job).attempts().stream().map(JobHistory.Attempt::outcome).toList();
    }

    @Test
    void theCommitCompletesTheJob() throws Exception {
        CountDownLatch hooked = new CountDownLatch(1);
        start(worker().handle(BOOK, (id, job) -> {
            job.afterCommit(hooked::countDown);
            try (Connection connection = target.begin()) {
                book(connection, id, job);
                job.on(connection).complete("booked " + id);
                assertThat(state(JobRef.raw(job.id()))).isEqualTo(JobState.RUNNING);
                connection.commit();
            }
            return "not this";
        }));
        JobRef<String> job = windrow.enqueue(BOOK, 7);
        assertThat(windrow.await(job, PATIENCE)).isEqualTo("booked 7");
        take(hooked);
        assertThat(bookings()).containsExactly("7|1");
        assertThat(outcomes(job)).containsExactly(AttemptOutcome.SUCCEEDED);
        until(() -> told(WindrowEvent.AttemptEnded.class).size() == 1);
        assertThat(told(WindrowEvent.AttemptEnded.class).get(0).state()).isEqualTo(JobState.COMPLETED);
        assertThat(told(WindrowEvent.AttemptLost.class)).isEmpty();
    }

    @Test
    void aRollbackFailsTheAttemptAndTheNextAttemptRepeatsTheWork() {
        AtomicInteger hooks = new AtomicInteger();
        start(worker().handle(BOOK, (id, job) -> {
            job.afterCommit(hooks::incrementAndGet);
            try (Connection connection = target.begin()) {
                book(connection, id, job);
                job.on(connection).complete("booked");
                if (job.attempt() == 1) {
                    connection.rollback();
                    throw JobFailure.retryAfter("TEST:ROLLED_BACK", "on purpose", Duration.ZERO);
                }
                connection.commit();
            }
            return null;
        }));
        JobRef<String> job = windrow.enqueue(BOOK, 1);
        assertThat(windrow.await(job, PATIENCE)).isEqualTo("booked");
        assertThat(bookings()).containsExactly("1|2");
        assertThat(outcomes(job)).containsExactly(AttemptOutcome.FAILED, AttemptOutcome.SUCCEEDED);
        until(() -> hooks.get() == 1);
    }

    @Test
    void aHandlerThatReturnsWithoutACommitFails() {
        start(worker().handle(BOOK, (id, job) -> {
            try (Connection connection = target.begin()) {
                book(connection, id, job);
                job.on(connection).complete("booked");
                connection.rollback();
            }
            return "returned";
        }));
        JobRef<String> job = windrow.enqueue(BOOK.job(1).withMaxAttempts(1));
        untilState(job, JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.NOT_COMMITTED);
        assertThat(bookings()).isEmpty();
    }

    @Test
    void aHandlerThatThrowsAfterItsCommitHasCompletedItsJob() {
        start(worker().handle(BOOK, (id, job) -> {
            try (Connection connection = target.begin()) {
                book(connection, id, job);
                job.on(connection).complete("booked");
                connection.commit();
            }
            throw new IllegalStateException("too late");
        }));
        JobRef<String> job = windrow.enqueue(BOOK, 1);
        assertThat(windrow.await(job, PATIENCE)).isEqualTo("booked");
        until(() -> told(WindrowEvent.AttemptEnded.class).size() == 1);
        assertThat(told(WindrowEvent.AttemptLost.class)).isEmpty();
        assertThat(bookings()).containsExactly("1|1");
    }

    @Test
    void aTransactionMayFailTheAttemptAndKeepItsWrites() {
        start(worker().handle(BOOK, (id, job) -> {
            try (Connection connection = target.begin()) {
                book(connection, id, job);
                job.on(connection).fail(JobFailure.permanent("TEST:REFUSED", "the card was refused"));
                connection.commit();
            }
            return null;
        }));
        JobRef<String> job = windrow.enqueue(BOOK, 1);
        untilState(job, JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo("TEST:REFUSED");
        assertThat(bookings()).containsExactly("1|1");
        until(() -> told(WindrowEvent.AttemptEnded.class).size() == 1);
    }

    @Test
    void theCommitContinuesTheChain() {
        start(worker().handle(BOOK, (id, job) -> {
            if (id == 0) {
                return "end";
            }
            job.continueWith(BOOK.job(id - 1));
            try (Connection connection = target.begin()) {
                book(connection, id, job);
                job.on(connection).enqueue(ECHO.job(null));
                job.on(connection).complete(null);
                connection.commit();
            }
            return null;
        }));
        JobRef<String> job = windrow.enqueue(BOOK, 2);
        assertThat(windrow.awaitChain(JobChain.of(BOOK, BOOK).ref(job.id()), PATIENCE))
                .isEqualTo("end");
        assertThat(windrow.job(job).chain().jobs()).hasSize(3);
        assertThat(bookings()).containsExactly("1|1", "2|1");
        assertThat(windrow.jobs(JobFilter.ALL).newestFirst().limit(10).page().jobs())
                .filteredOn(other -> other.type().equals("test.echo"))
                .hasSize(2);
    }

    @Test
    void aHandlerThatLostItsJobGetsAnErrorInsideTheTransaction() {
        OpenStore outside = openBareStore();
        CopyOnWriteArrayList<String> refusals = new CopyOnWriteArrayList<>();
        CountDownLatch ended = new CountDownLatch(1);
        start(worker().handle(BOOK, (id, job) -> {
            // Completes the job externally while its handler runs.
            ChangeByFilter.run(
                            outside,
                            Change.byId(Change.Verb.COMPLETE, List.of(job.id()), "test")
                                    .result("\"outside\"")
                                    .build())
                    .join();
            try (Connection connection = target.begin()) {
                book(connection, id, job);
                job.on(connection).complete("inside");
                connection.commit();
            } catch (TransitionRefusedException e) {
                refusals.add(e.getMessage());
                throw e;
            } finally {
                ended.countDown();
            }
            return null;
        }));
        JobRef<String> job = windrow.enqueue(BOOK, 1);
        untilState(job, JobState.COMPLETED);
        assertThat(windrow.await(job, PATIENCE)).isEqualTo("outside");
        until(() -> told(WindrowEvent.AttemptLost.class).size() == 1);
        take(ended);
        // The handler may have been notified and interrupted before it reached the end of its job.
        assertThat(refusals)
                .allSatisfy(message ->
                        assertThat(message).contains("job " + job.id()).contains("roll back"));
        assertThat(bookings()).isEmpty();
        assertThat(outcomes(job)).containsExactly(AttemptOutcome.SUPERSEDED);
    }

    @Test
    void aLongResultIsWrittenInTheTransaction() {
        String text = "x".repeat(200_000);
        start(worker().handle(BOOK, (id, job) -> {
            try (Connection connection = target.begin()) {
                job.on(connection).complete(text);
                connection.commit();
            }
            return null;
        }));
        assertThat(windrow.await(windrow.enqueue(BOOK, 1), PATIENCE)).isEqualTo(text);
    }
}
