package dev.windrow.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.EventKind;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.JobState;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Diagnosis.Check;
import dev.windrow.postgres.Disturbance;
import dev.windrow.postgres.Hooks;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.TwoTransactions;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.WaitingClaim;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.ds.PGSimpleDataSource;

/** A single new job whose whole transaction is one message, and what happens if its answer is lost. */
class LoneEnqueueTest extends TwoTransactions {
    private StoreDriver store;
    private long last;

    @BeforeEach
    void open() {
        store = open(disturbance);
        // Takes ids and commits. The following jobs are written alone.
        last = store.enqueue(NewRow.job());
        disturbance.of(Enqueue.class).transactions.set(0);
        disturbance.sessions.clear();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static boolean isIdle(Session session) throws SQLException {
        return session.connection().unwrap(BaseConnection.class).getTransactionState() == TransactionState.IDLE;
    }

    private List<Long> jobs() throws SQLException {
        return tables
                .rows("SELECT j.id FROM windrow_jobs j JOIN windrow_inputs i ON i.job_id = j.id ORDER BY j.id")
                .stream()
                .map(Long::valueOf)
                .toList();
    }

    private CompletableFuture<List<EnqueuedJob>> submit() {
        return submit(store);
    }

    private static CompletableFuture<List<EnqueuedJob>> submit(StoreDriver to) {
        return to.store().submit(new Enqueue(List.of(NewRow.job().row())));
    }

    /** Sends a message on another connection, as a proxy does that has kept it. Returns null if the server has written nothing. */
    private LoneEnqueue.@Nullable Written deliver(LoneEnqueue message) throws SQLException {
        try (Session session = session()) {
            return message.write(session);
        }
    }

    private Session session() throws SQLException {
        return session(server.dataSource());
    }

    private Session session(DataSource source) throws SQLException {
        return new Database(source, null, tables.tables(), TimeUnit.MINUTES.toNanos(1), TimeUnit.MINUTES.toNanos(1))
                .borrow();
    }

    private long sequence() throws SQLException {
        return Long.parseLong(tables.one("SELECT last_value FROM windrow_ids"));
    }

    /** Does what the server does with a message up to its commit. */
    private void begin(Connection connection, LoneEnqueue message) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + message.lock() + ")");
        }
        insertNext(connection, message.row().priority());
    }

    /** Inserts the job that the next submission is going to insert. */
    private void insertNext(Connection connection, int priority) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : List.of(
                    "INSERT INTO windrow_inputs (job_id, created_at, lane, created_by, payload)"
                            + " SELECT job_id + 1, created_at, lane, created_by, payload FROM windrow_inputs WHERE job_id = "
                            + last,
                    "INSERT INTO windrow_jobs (id, scheduled_at, lane, priority, max_attempts, state)"
                            + " SELECT id + 1, scheduled_at, lane, " + priority
                            + ", max_attempts, 'PENDING' FROM windrow_jobs WHERE id = " + last,
                    "INSERT INTO windrow_counter_deltas (lane, n, state)"
                            + " SELECT lane, 1, 'PENDING' FROM windrow_jobs WHERE id = " + last)) {
                statement.execute(tables.tables().inSchema(sql));
            }
        }
    }

    private StoreDriver impatient(Duration timeout) {
        StoreDriver impatient = new StoreDriver(
                Hooks.probe(PostgresStore.configure(server.url()).schema(schema).operationTimeout(timeout), disturbance)
                        .build(),
                time);
        last = impatient.enqueue(NewRow.job());
        disturbance.of(Enqueue.class).transactions.set(0);
        disturbance.sent.clear();
        disturbance.sessions.clear();
        return impatient;
    }

    private long serverMillis() throws SQLException {
        return Long.parseLong(tables.one("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"));
    }

    @Test
    void aJobIsWrittenAndToldLikeAnyOther() throws SQLException {
        AtomicReference<Boolean> alone = new AtomicReference<>();
        disturbance.beforeCommit(session -> alone.set(isIdle(session)));
        long id = store.enqueue(NewRow.job().priority(3).maxAttempts(7).payload("\"zero \0\""));
        assertThat(alone).as("nothing is sent before the commit").hasValue(true);
        assertThat(id).isEqualTo(last + 1);
        assertThat(store.events(id)).containsExactly(EventKind.ENQUEUED);
        assertThat(store.count(JobState.PENDING)).isEqualTo(2);
        List<ClaimedJob> claimed = store.claim(2);
        assertThat(claimed).extracting(ClaimedJob::id).containsExactly(id, last);
        assertThat(claimed.get(0).maxAttempts()).isEqualTo(7);
        assertThat(claimed.get(0).payload()).isEqualTo("\"zero \uFFFD\"");
        assertThat(store.diagnose().checks()).allMatch(Check::isOk);
    }

    @Test
    void otherJobsAreWrittenInTheUsualWay() {
        for (NewRow row : List.of(
                NewRow.job().delay(Duration.ofHours(1)),
                NewRow.job().tags("a"),
                NewRow.job().metadata("{\"a\":1}"),
                NewRow.job().name("n"),
                NewRow.job().beginsChain())) {
            AtomicReference<Boolean> alone = new AtomicReference<>();
            disturbance.beforeCommit(session -> alone.set(isIdle(session)));
            store.enqueue(row);
            assertThat(alone).as(row.toString()).hasValue(false);
        }
    }

    /** After a crash the server could give these ids to another process. */
    @Test
    void idsThatAreNotKnownToBeOnDiskAreNotUsed() throws SQLException {
        try (Connection connection = server.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            store.store()
                    .apply(
                            connection,
                            new Enqueue(Collections.nCopies(150, NewRow.job().row())));
            connection.rollback();
        }
        // The server waits for the disk at the end of a transaction only if it has logged something.
        Renew lost = new Renew(List.of(new LeaseToken(last, 77)), 1000);
        assertThat(StoreDriver.answer(store.store().submit(lost))).hasSize(1);
        assertThat(isAlone()).isFalse();
        // Its commit has put them on disk. On a session that has not committed a moment ago, a job is not sent alone.
        Awaitility.await().until(this::isAlone);
    }

    /** Enqueues a job. True if it is sent alone. */
    private boolean isAlone() {
        AtomicReference<Boolean> alone = new AtomicReference<>();
        disturbance.beforeCommit(session -> alone.set(isIdle(session)));
        store.enqueue(NewRow.job());
        return alone.get();
    }

    @Test
    void anAnswerThatIsLostAfterTheCommitIsFound() throws SQLException {
        disturbance.afterCommit(Disturbance::answerLost);
        assertThat(store.enqueue(NewRow.job())).isEqualTo(last + 1);
        assertThat(jobs()).containsExactly(last, last + 1);
        assertThat(store.count(JobState.PENDING)).isEqualTo(2);
        assertThat(store.claim(5)).hasSize(2);
    }

    @Test
    void aMessageThatIsLostAndThenAnAnswerThatIsLostWriteOneJob() throws SQLException {
        disturbance.beforeCommit(Session::abort);
        disturbance.afterCommit(Disturbance::answerLost);
        long id = store.enqueue(NewRow.job());
        assertThat(disturbance.transactions)
                .as("the message, the look, and the usual way")
                .hasValue(3);
        assertThat(jobs()).containsExactly(last, id);
    }

    @Test
    void aMessageThatDoesNotReachTheServerIsRepeated() throws SQLException {
        disturbance.beforeCommit(Disturbance.terminatedBy(tables.connection()));
        long id = store.enqueue(NewRow.job());
        assertThat(disturbance.sent).hasSize(1);
        assertThat(jobs()).containsExactly(last, id);
        assertThat(store.count(JobState.PENDING)).isEqualTo(2);
    }

    @Test
    void aFirstTryThatIsStillUnderWayIsAwaitedAndFound() throws Exception {
        try (Connection first = server.dataSource().getConnection()) {
            first.setAutoCommit(false);
            disturbance.whenSending(message -> {
                begin(first, message);
                throw Disturbance.broken();
            });
            CompletableFuture<List<EnqueuedJob>> answer = submit();
            awaitLock(answer);
            Awaitility.await().until(() -> disturbance.transactions.get() > 4);
            assertThat(answer).isNotDone();
            first.commit();
            assertThat(StoreDriver.answer(answer)).extracting(EnqueuedJob::id).containsExactly(last + 1);
        }
        assertThat(new HashSet<>(disturbance.sessions.subList(1, disturbance.sessions.size())))
                .as("a lock that is not free ends no session")
                .hasSize(1);
        assertThat(jobs()).containsExactly(last, last + 1);
        assertThat(store.count(JobState.PENDING)).isEqualTo(2);
    }

    @Test
    void aFirstTryThatFailsLateIsRepeated() throws Exception {
        LoneEnqueue message;
        try (Connection first = server.dataSource().getConnection()) {
            first.setAutoCommit(false);
            disturbance.whenSending(sent -> {
                begin(first, sent);
                throw Disturbance.broken();
            });
            CompletableFuture<List<EnqueuedJob>> answer = submit();
            awaitLock(answer);
            assertThat(answer).isNotDone();
            first.rollback();
            long id = StoreDriver.answer(answer).get(0).id();
            assertThat(jobs()).containsExactly(last, id);
            message = disturbance.sent.get(0);
        }
        assertThat(deliver(message)).isNull();
        assertThat(store.count(JobState.PENDING)).isEqualTo(2);
    }

    /** A proxy or a kernel has kept the message, while the job was written in the usual way. */
    @Test
    void aMessageThatComesAfterTheLookWritesNothing() throws SQLException {
        disturbance.whenSending(message -> {
            throw Disturbance.broken();
        });
        long id = store.enqueue(NewRow.job());
        LoneEnqueue message = disturbance.sent.get(0);
        assertThat(message.id()).isEqualTo(last + 1).isLessThan(id);
        assertThat(deliver(message)).isNull();
        assertThat(jobs()).containsExactly(last, id);
        store.change(Change.Verb.CANCEL, id);
        store.change(Change.Verb.DELETE, id);
        assertThat(deliver(message)).as("after the job has run and was deleted").isNull();
        assertThat(jobs()).containsExactly(last);
    }

    /** The server stops after so many rows of a query, and a commit ends the query. */
    @Test
    void aFetchSizeOfTheUrlLetsNoLateMessageIn() throws SQLException {
        try (StoreDriver fetching = new StoreDriver(
                Hooks.probe(
                                PostgresStore.configure(with("defaultRowFetchSize=10"))
                                        .schema(schema),
                                disturbance)
                        .build(),
                time)) {
            last = fetching.enqueue(NewRow.job());
            disturbance.whenSending(message -> {
                throw Disturbance.broken();
            });
            long id = fetching.enqueue(NewRow.job());
            LoneEnqueue message = disturbance.sent.get(0);
            assertThat(message.id()).isEqualTo(last + 1).isLessThan(id);
            assertThat(sequence()).isGreaterThanOrEqualTo(message.limit());
            assertThat(deliver(message)).isNull();
            assertThat(jobs()).endsWith(last, id);
        }
    }

    private String with(String setting) {
        return server.url() + (server.url().contains("?") ? "&" : "?") + setting;
    }

    @ParameterizedTest
    @CsvSource({"stringtype=unspecified, 19", "preferQueryMode=simple, 1"})
    void eachJobIsWrittenOnceUnderOtherSettingsOfTheDriver(String setting, int alone) throws SQLException {
        List<Long> all = new ArrayList<>(List.of(last));
        try (StoreDriver other = new StoreDriver(
                Hooks.probe(PostgresStore.configure(with(setting)).schema(schema), disturbance)
                        .build(),
                time)) {
            for (int i = 0; i < 20; i++) {
                all.add(other.enqueue(NewRow.job()));
            }
        }
        assertThat(jobs()).containsExactlyElementsOf(all);
        assertThat(disturbance.sent).as("none after a divided message").hasSize(alone);
    }

    @Test
    void aDividedMessageWritesNothing() throws SQLException {
        AtomicReference<LoneEnqueue> message = new AtomicReference<>();
        disturbance.whenSending(sent -> {
            message.set(sent);
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(with("preferQueryMode=simple"));
            try (Session session = session(source)) {
                assertThat(sent.write(session)).isNull();
            }
        });
        long id = store.enqueue(NewRow.job());
        assertThat(message.get().id()).isEqualTo(id);
        assertThat(jobs()).containsExactly(last, id);
    }

    /** A commit without anything in the server's log would not wait for the disk. So another look takes some ids, too. */
    @Test
    void anotherLookTakesFewIds() throws SQLException {
        store.enqueue(NewRow.job());
        LoneEnqueue message = disturbance.sent.get(0);
        try (Session session = session()) {
            assertThat(message.isWritten(session)).isTrue();
            long before = sequence();
            assertThat(before).isEqualTo(message.limit());
            assertThat(message.isWritten(session)).isTrue();
            assertThat(sequence() - before).isEqualTo(64 * 100);
        }
    }

    @Test
    void aLookThatLeavesTheSequenceBelowTheLimitDoesNotCount() throws SQLException {
        store.enqueue(NewRow.job());
        LoneEnqueue sent = disturbance.sent.get(0);
        LoneEnqueue message = next(sent, sent.limit() + 1_000_000, sent.deadline());
        try (Session session = session()) {
            assertThatThrownBy(() -> message.isWritten(session)).hasMessageContaining("" + message.limit());
        }
    }

    /** The client sees no answer, but the server has the message and reads it at last. */
    @Test
    void aMessageThatIsReadBeforeTheLookIsTheJob() throws SQLException {
        disturbance.whenSending(message -> {
            assertThat(deliver(message)).isNotNull();
            throw Disturbance.broken();
        });
        assertThat(store.enqueue(NewRow.job())).isEqualTo(last + 1);
        assertThat(disturbance.transactions).as("the message and the look").hasValue(2);
        assertThat(jobs()).containsExactly(last, last + 1);
        store.change(Change.Verb.CANCEL, last + 1);
        store.change(Change.Verb.DELETE, last + 1);
        assertThat(deliver(disturbance.sent.get(0)))
                .as("the same once more, after the job was deleted")
                .isNull();
        assertThat(jobs()).containsExactly(last);
    }

    @Test
    void aMessageThatComesDuringTheLookIsWrittenOnceAtMost() throws Exception {
        for (int round = 0; round < 10; round++) {
            store.enqueue(NewRow.job().tags("a")); // takes a new block of ids
            int before = jobs().size();
            AtomicReference<CompletableFuture<Boolean>> delivered = new AtomicReference<>();
            disturbance.whenSending(message -> {
                delivered.set(CompletableFuture.supplyAsync(() -> delivers(message)));
                throw Disturbance.broken();
            });
            long id = store.enqueue(NewRow.job());
            boolean written = delivered.get().get(60, TimeUnit.SECONDS);
            assertThat(jobs()).hasSize(before + 1).contains(id);
            assertThat(disturbance.sent.get(round).id() == id).isEqualTo(written);
        }
        assertThat(disturbance.sent).hasSize(10);
    }

    private boolean delivers(LoneEnqueue message) {
        try {
            return deliver(message) != null;
        } catch (SQLException e) {
            // It has waited for the look.
            return false;
        }
    }

    @Test
    void theServerRefusesAMessageAfterTwiceTheOperationTimeout() throws SQLException {
        long before = serverMillis();
        long twice = 2 * Duration.ofSeconds(60).toMillis();
        store.enqueue(NewRow.job());
        store.enqueue(NewRow.job());
        LoneEnqueue sent = disturbance.sent.get(1);
        assertThat(sent.deadline()).isBetween(before + twice, serverMillis() + twice);
        LoneEnqueue next = next(sent, sent.limit(), serverMillis() + twice);
        assertThat(deliver(next(sent, sent.limit(), serverMillis()))).isNull();
        assertThat(deliver(next)).isNotNull();
        assertThat(jobs()).contains(next.id());
    }

    /** Returns the message of the job after this one, with another limit and another deadline. */
    private static LoneEnqueue next(LoneEnqueue sent, long limit, long deadline) {
        return new LoneEnqueue(
                /* id= */ sent.id() + 1,
                /* limit= */ limit,
                /* lock= */ sent.lock() + 1,
                /* row= */ sent.row(),
                /* lane= */ sent.lane(),
                /* actor= */ sent.actor(),
                /* store= */ sent.store(),
                /* run= */ sent.run(),
                /* now= */ sent.now(),
                /* latest= */ sent.latest(),
                /* until= */ sent.until(),
                /* deadline= */ deadline,
                /* statementTimeout= */ sent.statementTimeout());
    }

    @Test
    void whileTheOutcomeIsUnknownTheJobIsNotWithdrawn() throws Exception {
        try (StoreDriver impatient = impatient(Duration.ofSeconds(2));
                Connection first = server.dataSource().getConnection()) {
            first.setAutoCommit(false);
            disturbance.whenSending(message -> {
                begin(first, message);
                throw Disturbance.broken();
            });
            CompletableFuture<List<EnqueuedJob>> answer = submit(impatient);
            assertThatThrownBy(() -> StoreDriver.answer(answer))
                    .isInstanceOfSatisfying(
                            OutcomeUnknownException.class,
                            unknown -> assertThat(unknown.ids()).containsExactly(last + 1));
            first.rollback();
            // The writer has not stopped.
            assertThat(impatient.enqueue(NewRow.job())).isGreaterThan(last + 1);
        }
    }

    /** The job is before the claim cursor, and claims do not look there while that takes long. */
    @Test
    void afterAnUnknownOutcomeClaimsFindTheJobAndWorkersAreTold() throws Exception {
        try (StoreDriver impatient = impatient(Duration.ofSeconds(2));
                Connection first = server.dataSource().getConnection()) {
            first.setAutoCommit(false);
            assertThat(impatient.claim(2)).hasSize(2);
            disturbance.whenSending(message -> {
                begin(first, message);
                impatient.hints().forget();
                throw Disturbance.broken();
            });
            CompletableFuture<List<EnqueuedJob>> answer = impatient
                    .store()
                    .submit(new Enqueue(List.of(NewRow.job().priority(5).row())));
            assertThatThrownBy(() -> StoreDriver.answer(answer)).isInstanceOf(OutcomeUnknownException.class);
            first.commit();
            impatient.hints().awaitHint("q", "t");
            ClaimCursors cursors = TestTables.learned(impatient).claimCursors();
            Awaitility.await().untilAsserted(() -> {
                cursors.lookedAtHead(TimeUnit.HOURS.toNanos(1));
                cursors.lookedAtHead(TimeUnit.HOURS.toNanos(1));
                assertThat(impatient.claim(5)).extracting(ClaimedJob::id).containsExactly(last + 1);
            });
        }
    }

    @Test
    void theReasonForWhichTheOutcomeStaysUnknownIsNamed() throws Exception {
        try (StoreDriver impatient = impatient(Duration.ofSeconds(2))) {
            disturbance.whenSending(message -> {
                tables.execute("ALTER TABLE windrow_inputs RENAME COLUMN job_id TO away");
                throw Disturbance.broken();
            });
            CompletableFuture<List<EnqueuedJob>> answer = submit(impatient);
            Awaitility.await()
                    .until(() -> answer.isDone()
                            || impatient.store().tasks().stream()
                                    .anyMatch(task ->
                                            String.valueOf(task.problem()).contains("does not exist")));
            assertThat(answer).isNotDone();
            assertThatThrownBy(() -> StoreDriver.answer(answer))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("does not exist");
            tables.execute("ALTER TABLE windrow_inputs RENAME COLUMN away TO job_id");
            assertThat(impatient.enqueue(NewRow.job())).isGreaterThan(last + 1);
        }
    }

    @Test
    void anotherQueueInTheTablesMakesTheOutcomeUnknown() throws SQLException {
        disturbance.whenSending(message -> {
            assertThat(deliver(message)).isNotNull();
            tables.execute("UPDATE windrow_schema SET store = gen_random_uuid() WHERE version = 1");
            throw Disturbance.broken();
        });
        CompletableFuture<List<EnqueuedJob>> answer = submit();
        assertThatThrownBy(() -> StoreDriver.answer(answer))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("another queue");
    }

    private static void readOnly(Session session) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
        }
        session.commit();
    }

    @Test
    void aReadOnlySessionHasCertainlyWrittenNothing() throws SQLException {
        disturbance.atBegin(LoneEnqueueTest::readOnly);
        long id = store.enqueue(NewRow.job());
        assertThat(disturbance.sent).hasSize(1);
        assertThat(disturbance.transactions)
                .as("the message and the usual way, without a look")
                .hasValue(2);
        assertThat(jobs()).containsExactly(last, id);
    }

    @Test
    void aReadOnlySessionDoesNotTellWhetherALostMessageWasWritten() throws SQLException {
        disturbance.whenSending(message -> {
            assertThat(deliver(message)).isNotNull();
            disturbance.atBegin(LoneEnqueueTest::readOnly);
            throw Disturbance.broken();
        });
        assertThat(store.enqueue(NewRow.job())).isEqualTo(last + 1);
        assertThat(disturbance.transactions).as("the message and two looks").hasValue(3);
        assertThat(jobs()).containsExactly(last, last + 1);
    }

    /** A cancel may come after the commit, and a proxy reports the end of the server with such errors. */
    @Test
    void anErrorThatMayComeAfterTheCommitDoesNotMeanThatNothingWasWritten() throws SQLException {
        List<Long> expected = new ArrayList<>(List.of(last));
        for (String state : List.of("57014", "58000", "XX000", "08P01")) {
            store.enqueue(NewRow.job().tags("a")); // takes a new block of ids
            long before = Collections.max(jobs());
            disturbance.afterCommit(session -> {
                try (Statement statement = session.connection().createStatement()) {
                    statement.execute("DO $$ BEGIN RAISE EXCEPTION 'late' USING ERRCODE = '" + state + "'; END $$");
                }
            });
            disturbance.sent.clear();
            assertThat(store.enqueue(NewRow.job())).as(state).isEqualTo(before + 1);
            assertThat(disturbance.sent).as(state).hasSize(1);
            expected.addAll(List.of(before, before + 1));
        }
        assertThat(jobs()).containsExactlyElementsOf(expected);
    }

    /** The server has started again, or a proxy leads to another one. The ids and numbers may belong to others there. */
    @Test
    void nothingIsWrittenInAnotherRunOfTheServer() throws SQLException {
        tables.execute("CREATE FUNCTION " + schema + ".pg_postmaster_start_time() RETURNS timestamptz LANGUAGE sql"
                + " AS $$ SELECT timestamptz '2001-01-01 00:00Z' $$");
        disturbance.atBegin(session -> {
            try (Statement statement = session.connection().createStatement()) {
                statement.execute("SET search_path = " + schema + ", pg_catalog");
            }
            session.commit();
        });
        long id = store.enqueue(NewRow.job());
        assertThat(disturbance.sent).hasSize(1);
        assertThat(disturbance.transactions).hasValueGreaterThan(1);
        assertThat(id).isNotEqualTo(disturbance.sent.get(0).id());
        assertThat(jobs()).containsExactly(last, id);
    }

    /** A job has the id although no other transaction can have got it, as by hand. */
    @Test
    void aJobOfAnotherUnderTheSameIdIsNotTakenForOurs() throws SQLException {
        insertNext(tables.connection(), 0);
        long id = store.enqueue(NewRow.job());
        assertThat(id).isGreaterThan(last + 1);
        assertThat(jobs()).containsExactly(last, last + 1, id);
        long next = store.enqueue(NewRow.job());
        assertThat(disturbance.sent)
                .as("after a refusal the next jobs are written in the usual way")
                .hasSize(1);
        assertThat(jobs()).containsExactly(last, last + 1, id, next);
    }

    @Test
    void nothingIsWrittenIntoAnotherQueue() throws SQLException {
        disturbance.whenSending(
                message -> tables.execute("UPDATE windrow_schema SET store = gen_random_uuid() WHERE version = 1"));
        assertThatThrownBy(() -> store.enqueue(NewRow.job())).isInstanceOf(IncompatibleStoreException.class);
        assertThat(disturbance.sent).hasSize(1);
        assertThat(jobs()).containsExactly(last);
    }

    @Test
    void nothingIsWrittenByAnOldVersion() throws SQLException {
        disturbance.whenSending(
                message -> tables.execute("UPDATE windrow_schema SET min_compatible = min_compatible + 1000"));
        assertThatThrownBy(() -> store.enqueue(NewRow.job())).isInstanceOf(IncompatibleStoreException.class);
        assertThat(disturbance.sent).hasSize(1);
        assertThat(jobs()).containsExactly(last);
    }

    @Test
    void aClaimThatWaitsJoinsAndASecondOneWaitsOn() {
        // From now on the number of the worker is known.
        assertThat(store.claim(1)).hasSize(1);
        CompletableFuture<Claimed> first = new CompletableFuture<>();
        CompletableFuture<Claimed> second = new CompletableFuture<>();
        store.hints().offer(new WaitingClaim(StoreDriver.request(1), first));
        store.hints().offer(new WaitingClaim(StoreDriver.request(1), second));
        long id = store.enqueue(NewRow.job().priority(1));
        assertThat(disturbance.sent).isEmpty();
        assertThat(StoreDriver.answer(first).jobs()).extracting(ClaimedJob::id).containsExactly(id);
        assertThat(store.hints().waitingClaim("q", "t"))
                .as("the claim that is still offered")
                .isNotNull();
        assertThat(second).isNotDone();
    }

    @Test
    void aClockThatHasSteppedBackLetsNoJobOvertake() {
        time.advance(Duration.ofMinutes(1));
        long before = store.enqueue(NewRow.job());
        time.stepWall(Duration.ofSeconds(-30));
        disturbance.transactions.set(0);
        long after = store.enqueue(NewRow.job());
        assertThat(disturbance.transactions).as("the message and the usual way").hasValue(2);
        assertThat(store.claim(5)).extracting(ClaimedJob::id).containsExactly(last, before, after);
    }

    @Test
    void aSmallStepBackKeepsTheOrder() {
        time.advance(Duration.ofMinutes(1));
        long before = store.enqueue(NewRow.job());
        time.stepWall(Duration.ofMillis(-300));
        disturbance.transactions.set(0);
        long after = store.enqueue(NewRow.job());
        assertThat(disturbance.transactions).as("the message").hasValue(1);
        assertThat(store.claim(5)).extracting(ClaimedJob::id).containsExactly(last, before, after);
    }

    @Test
    void anotherProcessIsNotifiedOfTheJob() {
        try (StoreDriver other = open(Writer.Probe.NONE)) {
            store.enqueue(NewRow.job());
            other.hints().awaitHint("q", "t");
        }
    }

    @Test
    void aLostPreparedStatementLosesNoJob() throws SQLException {
        for (int i = 0; i < 10; i++) {
            store.enqueue(NewRow.job());
        }
        disturbance.atBegin(session -> {
            try (Statement statement = session.connection().createStatement()) {
                statement.execute("DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$");
            }
            session.commit();
        });
        store.enqueue(NewRow.job());
        assertThat(jobs()).hasSize(12);
        Awaitility.await().until(() -> store.count(JobState.PENDING) == 12);
    }
}
