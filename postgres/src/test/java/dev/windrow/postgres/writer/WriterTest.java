package dev.windrow.postgres.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AttemptOutcome;
import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.EventLevel;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.Metadata;
import dev.windrow.postgres.Disturbance;
import dev.windrow.postgres.Hooks;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.connection.Session;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.store.sql.writer.Submission;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import dev.windrow.workflow.ParentPolicy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/** Operations whose connections break, whose answers are lost, or whose rows other transactions have locked. */
class WriterTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final PostgresServer server = PostgresServer.shared();
    private final String schema = server.newSchema();
    private final List<StoreDriver> drivers = new ArrayList<>();
    private final Disturbance disturbance = new Disturbance();
    private TestTables tables;
    private StoreDriver store;

    @BeforeEach
    void openStore() throws SQLException {
        store = open(TIMEOUT, disturbance);
        tables = TestTables.open(server, schema);
    }

    @AfterEach
    void close() throws SQLException {
        tables.close();
        drivers.forEach(StoreDriver::close);
    }

    private StoreDriver open(Duration timeout, Writer.Probe probe) {
        return open(timeout, probe, EventLevel.ALL);
    }

    private StoreDriver open(Duration timeout, Writer.Probe probe, EventLevel level) {
        PostgresStore.Builder store =
                PostgresStore.configure(server.url()).schema(schema).operationTimeout(timeout);
        StoreDriver driver = new StoreDriver(
                Hooks.probe(Hooks.leastConnectionWait(store, TIMEOUT), probe).build(), new ManualTime(), level);
        drivers.add(driver);
        return driver;
    }

    /** Opens another transaction, which stays open until it is closed. */
    private Connection openTransaction() throws SQLException {
        Connection connection = server.dataSource().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private void lock(Connection connection, long job) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(tables.tables().inSchema("SELECT 1 FROM windrow_jobs WHERE id = " + job + " FOR UPDATE"));
        }
    }

    /** True if a session waits for a lock right now. */
    private boolean isAnybodyWaiting() throws SQLException {
        try (var statement = tables.connection().createStatement();
                var row = statement.executeQuery("SELECT count(*) FROM pg_locks WHERE NOT granted")) {
            row.next();
            return row.getLong(1) > 0;
        }
    }

    private int jobs() {
        return store.store().list(JobFilter.ALL, Long.MAX_VALUE, 1000).jobs().size();
    }

    @Test
    void anAttemptThatEndsDuringTheCommitOfItsStartRepeatsNoCommit() {
        CompletableFuture<CompletableFuture<Void>> start = new CompletableFuture<>();
        AtomicInteger commits = new AtomicInteger();
        StoreDriver other = open(TIMEOUT, new Writer.Probe() {
            @Override
            public void committing(Session session, Batch batch) {
                if (batch.has(Started.class)) {
                    commits.incrementAndGet();
                    StoreDriver.answer(start).complete(null);
                }
            }
        });
        ClaimedJob job = other.running(NewRow.job());
        start.complete(other.store()
                .submit(new Started(job.leaseToken(), "w", other.time().millis())));
        Awaitility.await().atMost(TIMEOUT).until(() -> other.events(job.id()).contains(EventKind.STARTED));
        assertThat(commits).hasValue(1);
    }

    @Test
    void aConnectionThatEndsInMidTransactionLosesNothing() {
        disturbance.of(Enqueue.class).atBegin(Disturbance.terminatedBy(tables.connection()));
        long id = store.enqueue(NewRow.job());
        assertThat(store.state(id)).isEqualTo(JobState.PENDING);
        assertThat(disturbance.transactions).hasValueGreaterThan(1);
        assertThat(jobs()).isEqualTo(1);
    }

    @Test
    void lostPreparedStatementsFailNoOperationAndNoneIsPreparedAfterwards() throws SQLException {
        for (int i = 0; i < 10; i++) {
            store.enqueue(NewRow.job());
        }
        AtomicReference<String> prepared = new AtomicReference<>("0");
        disturbance.of(Enqueue.class).atBegin(session -> {
            prepared.set(prepared(session));
            try (Statement statement = session.connection().createStatement()) {
                // The driver does not see this text.
                statement.execute("DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$");
            }
        });
        store.enqueue(NewRow.job());
        assertThat(prepared.get()).isNotEqualTo("0");
        for (int i = 0; i < 10; i++) {
            store.enqueue(NewRow.job());
        }
        disturbance.atBegin(session -> prepared.set(prepared(session)));
        store.enqueue(NewRow.job());
        assertThat(prepared.get()).isEqualTo("0");
        assertThat(jobs()).isEqualTo(22);
    }

    @Test
    void aContinuedLossOfStatementsIsAProblem() throws Exception {
        AtomicBoolean loses = new AtomicBoolean(true);
        StoreDriver losing = open(TIMEOUT, new Writer.Probe() {
            @Override
            public void began(Session session, Batch batch) throws SQLException {
                if (loses.get() && batch.has(Enqueue.class)) {
                    throw new SQLException("prepared statement \"S_1\" does not exist", "26000");
                }
            }
        });
        CompletableFuture<List<EnqueuedJob>> answer =
                losing.store().submit(new Enqueue(List.of(NewRow.job().row())));
        Awaitility.await()
                .atMost(TIMEOUT)
                .until(() -> losing.store().tasks().stream()
                        .anyMatch(
                                task -> task.problem() != null && task.problem().contains("does not exist")));
        loses.set(false);
        assertThat(StoreDriver.answer(answer)).hasSize(1);
        Awaitility.await()
                .atMost(TIMEOUT)
                .until(() -> losing.store().tasks().stream().allMatch(task -> task.problem() == null));
    }

    private static String prepared(Session session) throws SQLException {
        try (Statement statement = session.connection().createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*) FROM pg_prepared_statements WHERE NOT from_sql AND name LIKE 'S\\_%'")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void aCommitThatDidNotReachTheServerIsRepeated() {
        disturbance.of(Enqueue.class).beforeCommit(Disturbance.terminatedBy(tables.connection()));
        long id = store.enqueue(NewRow.job());
        assertThat(store.state(id)).isEqualTo(JobState.PENDING);
        assertThat(disturbance.transactions).hasValueGreaterThan(1);
        assertThat(jobs()).isEqualTo(1);
    }

    @Test
    void aCommitWithALostAnswerIsFoundAndNotRepeated() {
        disturbance.of(Enqueue.class).afterCommit(Disturbance::answerLost);
        long id = store.enqueue(NewRow.job());
        assertThat(store.state(id)).isEqualTo(JobState.PENDING);
        assertThat(jobs()).isEqualTo(1);
    }

    /** A cancel may come after the commit, and a proxy reports the end of the server with such an error. */
    @Test
    void anErrorAfterACommitIsNoFailure() {
        disturbance.of(Enqueue.class).afterCommit(session -> {
            try (Statement statement = session.connection().createStatement()) {
                statement.execute("DO $$ BEGIN RAISE EXCEPTION 'late' USING ERRCODE = '57014'; END $$");
            }
        });
        long id = store.enqueue(NewRow.job().tags("a"));
        assertThat(store.state(id)).isEqualTo(JobState.PENDING);
        assertThat(jobs()).isEqualTo(1);
    }

    @Test
    void anErrorAtACommitFailsIfNothingWasCommitted() throws SQLException {
        tables.execute("CREATE FUNCTION " + schema + ".late() RETURNS trigger LANGUAGE plpgsql"
                + " AS $$ BEGIN RAISE EXCEPTION 'late' USING ERRCODE = '57014'; END $$");
        tables.execute(
                "CREATE TRIGGER late BEFORE INSERT ON windrow_counter_deltas EXECUTE FUNCTION " + schema + ".late()");
        disturbance.of(Enqueue.class);
        assertThatThrownBy(() -> store.enqueue(NewRow.job().tags("a")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("cancelled");
        assertThat(disturbance.transactions).hasValue(1);
        assertThat(jobs()).isZero();
    }

    /** The event of the claim is left out, and another transaction changes the claimed job before the writer looks. */
    @Test
    void aCommitWithALostAnswerIsFoundAlthoughAJobHasChangedSince() {
        StoreDriver quiet = open(TIMEOUT, disturbance, EventLevel.OUTCOMES);
        long due = quiet.enqueue(NewRow.job().delay(Duration.ofSeconds(1)));
        quiet.time().advance(Duration.ofSeconds(2));
        CompletableFuture<Claimed> claim = new CompletableFuture<>();
        quiet.hints().offer(new WaitingClaim(StoreDriver.request(1), claim));
        disturbance.of(Enqueue.class).afterCommit(session -> {
            tables.execute("UPDATE windrow_jobs SET lease_until = lease_until + 1 WHERE id = " + due);
            Disturbance.answerLost(session);
        });
        assertThat(quiet.enqueue(NewRow.job())).isGreaterThan(due);
        assertThat(StoreDriver.answer(claim).jobs()).extracting(ClaimedJob::id).containsExactly(due);
        assertThat(jobs()).isEqualTo(2);
    }

    /** The transaction also starts a job, whose lease is renewed before the writer looks. */
    @Test
    void aStartedJobThatHasChangedSinceHidesNoCommit() {
        ClaimedJob started = store.running(NewRow.job());
        CountDownLatch queued = new CountDownLatch(1);
        // The first transaction waits until the start and the second enqueue are in the queue.
        disturbance.of(Enqueue.class).atBegin(session -> Disturbance.await(queued));
        List<JobRow> row = List.of(NewRow.job().row());
        CompletableFuture<List<EnqueuedJob>> first = store.store().submit(new Enqueue(row));
        disturbance.afterCommit(session -> disturbance.afterCommit(second -> {
            tables.execute("UPDATE windrow_jobs SET lease_until = lease_until + 1 WHERE id = " + started.id());
            Disturbance.answerLost(second);
        }));
        store.started(new Started(started.leaseToken(), "w", started.claimedAtMillis()));
        CompletableFuture<List<EnqueuedJob>> second = store.store().submit(new Enqueue(row));
        queued.countDown();
        assertThat(StoreDriver.answer(first)).hasSize(1);
        assertThat(StoreDriver.answer(second)).hasSize(1);
        assertThat(jobs()).isEqualTo(3);
        assertThat(store.events(started.id()))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED);
    }

    @Test
    void aSettlementWithALostAnswerIsAppliedOnce() {
        ClaimedJob job = store.running(NewRow.job());
        disturbance.of(Settle.class).afterCommit(Disturbance::answerLost);
        assertThat(store.complete(job)).isTrue();
        assertThat(store.events(job.id()))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
        assertThat(store.outcomes(job.id())).hasSize(1);
    }

    @Test
    void aChangeOfMetadataWithALostAnswerIsMadeOnce() {
        long id = store.enqueue(NewRow.job());
        for (String patch : List.of("{\"a\":1}", "{\"a\":null}")) {
            int entries = store.audit(100).size();
            disturbance.of(Change.class).afterCommit(Disturbance::answerLost);
            Change change = Change.byId(Change.Verb.MERGE_METADATA, List.of(id), "anna")
                    .metadata(Metadata.parse(patch))
                    .build();
            assertThat(StoreDriver.answer(store.store().submit(change)).count()).isEqualTo(1);
            assertThat(store.audit(100)).as(patch).hasSize(entries + 1);
        }
        assertThat(store.store().metadata(id)).isEqualTo(Metadata.none());
    }

    @Test
    void aClaimWithALostAnswerIsReturned() {
        List<Long> ids = store.enqueueAll(Collections.nCopies(5, NewRow.job()));
        disturbance.of(Claim.class).afterCommit(Disturbance::answerLost);
        assertThat(store.claim(3)).extracting(ClaimedJob::id).isEqualTo(ids.subList(0, 3));
        assertThat(store.claim(3)).extracting(ClaimedJob::id).isEqualTo(ids.subList(3, 5));
    }

    @Test
    void aClaimThatDidNotReachTheServerIsRepeated() {
        List<Long> ids = store.enqueueAll(Collections.nCopies(5, NewRow.job()));
        disturbance.of(Claim.class).beforeCommit(Disturbance.terminatedBy(tables.connection()));
        List<ClaimedJob> jobs = store.claim(3);
        assertThat(jobs).extracting(ClaimedJob::id).isEqualTo(ids.subList(0, 3));
        assertThat(jobs).extracting(ClaimedJob::token).containsOnly(1L);
    }

    @Test
    void manyOperationsShareOneLostAnswer() throws Exception {
        CountDownLatch queued = new CountDownLatch(1);
        // The first transaction waits until the others are in the queue. The second, which they share, loses its
        // answer.
        disturbance.atBegin(session -> Disturbance.await(queued));
        List<CompletableFuture<List<EnqueuedJob>>> answers = new ArrayList<>();
        List<JobRow> row = List.of(NewRow.job().row());
        for (int i = 0; i < 50; i++) {
            answers.add(store.store().submit(new Enqueue(row)));
            if (i == 1) {
                disturbance.afterCommit(session -> disturbance.afterCommit(Disturbance::answerLost));
            }
        }
        queued.countDown();
        Set<Long> ids = new java.util.HashSet<>();
        for (var answer : answers) {
            ids.add(StoreDriver.answer(answer).get(0).id());
        }
        assertThat(ids).hasSize(50);
        assertThat(jobs()).isEqualTo(50);
    }

    @Test
    void anOperationWithdrawnBeforeItsCommitIsNeverWritten() throws Exception {
        StoreDriver impatient = open(Duration.ofMillis(300), disturbance);
        CountDownLatch late = new CountDownLatch(1);
        disturbance.of(Enqueue.class).beforeCommit(session -> Disturbance.await(late));
        CompletableFuture<List<EnqueuedJob>> answer =
                impatient.store().submit(new Enqueue(List.of(NewRow.job().row())));
        Awaitility.await().until(answer::isDone);
        late.countDown();
        assertThatThrownBy(() -> StoreDriver.answer(answer)).isInstanceOf(StoreUnavailableException.class);
        store.enqueue(NewRow.of("q", "after"));
        assertThat(store.store().list(JobFilter.ALL, Long.MAX_VALUE, 10).jobs())
                .extracting(job -> job.type())
                .containsExactly("after");
    }

    @Test
    void aClaimDuringItsCommitIsCompletedOnlyByIt() throws Exception {
        StoreDriver impatient = open(Duration.ofMillis(300), disturbance);
        long id = store.enqueue(NewRow.job());
        CountDownLatch committing = new CountDownLatch(1);
        CountDownLatch late = new CountDownLatch(1);
        disturbance.of(Claim.class).afterCommit(session -> {
            committing.countDown();
            Disturbance.await(late);
        });
        CompletableFuture<Claimed> claimed = impatient.store().submit(StoreDriver.request(5));
        while (!committing.await(300, TimeUnit.MILLISECONDS)) {
            // On a busy machine its time may be over before it begins.
            claimed = claimed.isDone() ? impatient.store().submit(StoreDriver.request(5)) : claimed;
        }
        for (int look = 0; look < 2; look++) {
            assertThatThrownBy(() -> impatient.claim(5))
                    .as("the look that ends waits that last too long")
                    .isInstanceOf(StoreUnavailableException.class);
        }
        assertThat(claimed).isNotDone();
        late.countDown();
        assertThat(StoreDriver.answer(claimed).jobs())
                .extracting(ClaimedJob::id)
                .containsExactly(id);
    }

    @Test
    void anUnexpectedExceptionEndsItsSessionAndFailsTheOperationOnlyInALiveOne() {
        Set<Session> sessions = new HashSet<>();
        disturbance.of(Enqueue.class).atBegin(session -> {
            sessions.add(session);
            session.abort();
            throw new IllegalStateException("the pool cannot log");
        });
        assertThatThrownBy(() -> store.enqueue(NewRow.job())).isInstanceOf(StoreUnavailableException.class);
        disturbance.atBegin(session -> {
            sessions.add(session);
            throw new IllegalStateException("not expected");
        });
        assertThatThrownBy(() -> store.enqueue(NewRow.job()))
                .isInstanceOf(WindrowException.class)
                .isNotInstanceOf(StoreUnavailableException.class);
        disturbance.atBegin(sessions::add);
        store.enqueue(NewRow.job());
        assertThat(sessions).hasSize(3);
    }

    @Test
    void anErrorWhileReadingTheAnswerOfACommitRepeatsNothing() {
        disturbance.of(Enqueue.class).afterCommit(session -> {
            throw new OutOfMemoryError("not really");
        });
        long first = store.enqueue(NewRow.job());
        disturbance.afterCommit(session -> {
            throw new IllegalStateException("not really");
        });
        long second = store.enqueue(NewRow.job());
        assertThat(store.claim(5)).extracting(ClaimedJob::id).containsExactly(first, second);
    }

    @Test
    void lackOfMemoryForTheAnswerOfACommitRepeatsAndRefusesNothing() {
        disturbance.of(Enqueue.class).afterCommit(session -> {
            throw new PSQLException(
                    "Ran out of memory retrieving query results.",
                    PSQLState.OUT_OF_MEMORY,
                    new OutOfMemoryError("not really"));
        });
        long id = store.enqueue(NewRow.job());
        assertThat(store.claim(5)).extracting(ClaimedJob::id).containsExactly(id);
    }

    @Test
    void anErrorCompletesTheClaimsOfItsTransaction() {
        CompletableFuture<Claimed> joined = new CompletableFuture<>();
        store.hints().offer(new WaitingClaim(StoreDriver.request(1), joined));
        disturbance.of(Claim.class).beforeCommit(session -> {
            throw new OutOfMemoryError("not really");
        });
        assertThatThrownBy(() -> store.enqueue(NewRow.job())).isInstanceOf(StoreUnavailableException.class);
        assertThat(joined)
                .failsWithin(Duration.ofSeconds(60))
                .withThrowableThat()
                .withMessageContaining("not really");
    }

    @Test
    void anErrorInTheQueueLosesNoOperation() {
        AtomicBoolean failed = new AtomicBoolean();
        OwnCommand<String> command = new OwnCommand<>("looking", used -> {}, tx -> "seen") {
            @Override
            public @Nullable Long attemptOf() {
                if (Thread.currentThread().getName().startsWith("windrow-alive-")
                        && failed.compareAndSet(false, true)) {
                    throw new OutOfMemoryError("not really");
                }
                return super.attemptOf();
            }
        };
        Writer alive = TestTables.aliveWriter(store);
        assertThat(StoreDriver.answer(alive.submit(new Submission<>(command)).future()))
                .isEqualTo("seen");
        assertThat(failed).isTrue();
    }

    @Test
    void aReclaimThatHasWaitedForRenewalsIsRefusedAsTooOld() {
        ClaimedJob job = store.running(NewRow.job());
        store.time().advance(StoreDriver.LEASE.plusSeconds(1));
        List<Orphan> orphans = store.suspects().stream()
                .map(suspect -> new Orphan(suspect, Transition.RETRY_LATER, AttemptOutcome.LOST, 0L, "reclaimer"))
                .toList();
        assertThat(orphans).hasSize(1);
        long begin = System.nanoTime();
        disturbance
                .of(OwnCommand.class)
                .atBegin(session -> Awaitility.await()
                        .atMost(TIMEOUT)
                        .until(() -> System.nanoTime() - begin > TimeUnit.MILLISECONDS.toNanos(500)));
        assertThat(StoreDriver.answer(store.store().submit(new Reclaim(orphans, 200))))
                .isEmpty();
        assertThat(store.state(job.id())).isEqualTo(JobState.RUNNING);
    }

    @Test
    void aLockedRowDelaysNoOtherOperation() throws Exception {
        List<Long> ids = store.enqueueAll(Collections.nCopies(20, NewRow.job()));
        List<ClaimedJob> jobs = store.claim(20);
        try (Connection other = openTransaction()) {
            lock(other, ids.get(0));
            List<CompletableFuture<Boolean>> answers = new ArrayList<>();
            for (ClaimedJob job : jobs) {
                answers.add(store.store().submit(store.settlement(job, Transition.COMPLETE)));
            }
            for (CompletableFuture<Boolean> answer : answers.subList(1, 20)) {
                assertThat(StoreDriver.answer(answer)).isTrue();
            }
            assertThat(answers.get(0)).isNotDone();
            // While that one waits, all other operations continue.
            store.complete(store.running(NewRow.job()));
            assertThat(store.store().submit(new Renew(List.of(jobs.get(0).leaseToken()), 1000)))
                    .succeedsWithin(Duration.ofSeconds(60))
                    .isEqualTo(List.of());
            other.rollback();
            assertThat(StoreDriver.answer(answers.get(0))).isTrue();
        }
        assertThat(store.count(JobState.COMPLETED)).isEqualTo(21);
    }

    @Test
    void aChangeOfManyJobsSkipsALockedOne() throws Exception {
        List<Long> ids = store.enqueueAll(Collections.nCopies(20, NewRow.job()));
        store.claim(20).forEach(job -> store.settle(job, Transition.FAIL));
        Change retry = Change.byFilter(Change.Verb.RETRY, JobFilter.inState(JobState.FAILED), "operator")
                .build();
        try (Connection other = openTransaction()) {
            lock(other, ids.get(7));
            assertThat(StoreDriver.answer(ChangeByFilter.run(store.store(), retry))
                            .count())
                    .isEqualTo(19);
            other.rollback();
        }
        assertThat(store.count(JobState.FAILED)).isEqualTo(1);
        assertThat(StoreDriver.answer(ChangeByFilter.run(store.store(), retry)).ids())
                .containsExactly(ids.get(7));
        assertThat(store.audit(10)).extracting(AuditEntry::changed).containsExactly(1L, 19L);
    }

    @Test
    void ofChangesInOneTransactionThatExpectOneVersionOneIsMade() throws Exception {
        long job = store.enqueue(NewRow.job());
        Change change = Change.byId(Change.Verb.MERGE_METADATA, List.of(job), "operator")
                .metadata(Metadata.none().with("a", 1))
                .expected(Map.of(job, store.job(job).version()))
                .build();
        List<CompletableFuture<ChangeResult>> changes = new ArrayList<>();
        try (Connection other = openTransaction()) {
            // Behind the lock many changes gather, which share transactions when it is gone.
            lock(other, job);
            for (int i = 0; i < 200; i++) {
                changes.add(store.store().submit(change));
            }
            other.rollback();
        }
        assertThat(changes.stream().map(StoreContract::failure).filter(Objects::isNull))
                .hasSize(1);
    }

    @Test
    void reportsAndSettlementOfAJobKeepTheirOrderBehindALock() throws Exception {
        ClaimedJob job = store.running(NewRow.job());
        try (Connection other = openTransaction()) {
            lock(other, job.id());
            store.started(new dev.windrow.store.job.Started(job.leaseToken(), "w", job.claimedAtMillis()));
            CompletableFuture<Boolean> told = store.store()
                    .submit(new dev.windrow.store.job.Report(
                            job.leaseToken(),
                            "w",
                            null,
                            List.of(new dev.windrow.store.job.Report.Line(1, dev.windrow.LogLevel.INFO, "hello")),
                            null));
            Awaitility.await().until(() -> {
                // The report has reached the writer that waits.
                StoreDriver.answer(store.store().submit(new Touch()));
                return !told.isDone();
            });
            CompletableFuture<Boolean> settled = store.store().submit(store.settlement(job, Transition.COMPLETE));
            other.rollback();
            assertThat(StoreDriver.answer(settled)).isTrue();
            assertThat(StoreDriver.answer(told)).isTrue();
        }
        assertThat(store.history(job.id()).log()).hasSize(1);
        assertThat(store.events(job.id()))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
    }

    @Test
    void laterOperationsOfAJobDoNotOvertakeAWaitingRetry() throws Exception {
        ClaimedJob job = store.running(NewRow.job());
        disturbance.of(Started.class);
        try (Connection other = openTransaction()) {
            lock(other, job.id());
            store.started(new dev.windrow.store.job.Started(job.leaseToken(), "w", job.claimedAtMillis()));
            StoreDriver.answer(store.store().submit(new Touch()));
            // After a few tries the pause before the next one is longer.
            Awaitility.await().atMost(TIMEOUT).until(() -> disturbance.transactions.get() >= 10 && !isAnybodyWaiting());
            other.rollback();
        }
        assertThat(store.settle(job, Transition.COMPLETE)).isTrue();
        assertThat(store.events(job.id()))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
    }

    @Test
    void aLockedChildDelaysOnlyItsParent() throws Exception {
        long parent = store.enqueue(NewRow.job());
        long child = store.enqueue(NewRow.of("q", "child").after(parent, ParentPolicy.WAIT));
        ClaimedJob running = store.claimOne();
        ClaimedJob another = store.running(NewRow.job());
        try (Connection other = openTransaction()) {
            lock(other, child);
            CompletableFuture<Boolean> ended = store.store().submit(store.settlement(running, Transition.COMPLETE));
            assertThat(store.complete(another)).isTrue();
            assertThat(ended).isNotDone();
            other.rollback();
            assertThat(StoreDriver.answer(ended)).isTrue();
        }
        assertThat(store.state(child)).isEqualTo(JobState.PENDING);
    }

    /** A probe that counts the transactions of one writer, and stops it at the beginning of one. */
    private static final class Counted implements Writer.Probe {
        private final Predicate<Submission<?>> counted;
        private final Predicate<Submission<?>> stranger;
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final CountDownLatch submitted = new CountDownLatch(1);
        private volatile boolean stops;
        private volatile int transactions;
        private volatile int untilStranger = Integer.MAX_VALUE;

        Counted(Predicate<Submission<?>> counted, Predicate<Submission<?>> stranger) {
            this.counted = counted;
            this.stranger = stranger;
        }

        @Override
        public void began(Session session, Batch batch) throws SQLException {
            if (batch.submissions().stream().anyMatch(counted.or(stranger))) {
                transactions++;
                if (stops) {
                    stops = false;
                    transactions = 0;
                    stopped.countDown();
                    Disturbance.await(submitted);
                }
            }
        }

        @Override
        public void committing(Session session, Batch batch) {
            if (batch.submissions().stream().anyMatch(stranger)) {
                untilStranger = transactions;
            }
        }

        /** Returns the number of transactions before the one that does the work submitted now. */
        int until(Supplier<CompletableFuture<?>> submit) throws Exception {
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> transactions > 2 * LOCKED);
            stops = true;
            stopped.await();
            CompletableFuture<?> answer = submit.get();
            submitted.countDown();
            Object unused = answer.get(60, TimeUnit.SECONDS);
            return untilStranger;
        }
    }

    private static final int LOCKED = 40;

    @Test
    void newJobsThatWaitForTheirKeysDelayNoOther() throws Exception {
        Predicate<Submission<?>> keyed =
                operation -> operation.command() instanceof Enqueue enqueue && enqueue.hasKeys();
        Counted counted = new Counted(
                keyed,
                keyed.and(operation ->
                        ((Enqueue) operation.command()).jobs().get(0).type().equals("free")));
        StoreDriver patient = open(Duration.ofSeconds(60), counted);
        try (Connection other = openTransaction()) {
            List<JobRow> rows = new ArrayList<>();
            for (int i = 0; i < LOCKED; i++) {
                rows.add(NewRow.job().dedupe(Dedupe.key("taken" + i)).row());
            }
            store.store().apply(other, new Enqueue(rows));
            List<CompletableFuture<List<EnqueuedJob>>> waiting = new ArrayList<>();
            rows.forEach(row -> waiting.add(patient.store().submit(new Enqueue(List.of(row)))));
            JobRow free = NewRow.of("q", "free").dedupe(Dedupe.key("free")).row();
            assertThat(counted.until(() -> patient.store().submit(new Enqueue(List.of(free)))))
                    .isLessThanOrEqualTo(3);
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            other.commit();
            for (CompletableFuture<List<EnqueuedJob>> answer : waiting) {
                assertThat(StoreDriver.answer(answer).get(0).deduplicated()).isTrue();
            }
        }
    }

    @Test
    void manySettlementsThatWaitForLocksDelayNoChange() throws Exception {
        Counted counted = new Counted(operation -> operation.is(Settle.class), operation -> operation.is(Change.class));
        StoreDriver patient = open(Duration.ofSeconds(60), counted);
        List<Long> ids = patient.enqueueAll(Collections.nCopies(LOCKED, NewRow.job()));
        List<ClaimedJob> jobs = patient.claim(LOCKED);
        long free = patient.enqueue(NewRow.of("q", "free"));
        try (Connection other = openTransaction()) {
            for (long id : ids) {
                lock(other, id);
            }
            List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
            jobs.forEach(job -> waiting.add(patient.store().submit(patient.settlement(job, Transition.COMPLETE))));
            assertThat(counted.until(() ->
                            ChangeByFilter.run(patient.store(), StoreDriver.change(Change.Verb.CANCEL, List.of(free)))))
                    .isLessThanOrEqualTo(3);
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            other.rollback();
            for (CompletableFuture<Boolean> answer : waiting) {
                assertThat(StoreDriver.answer(answer)).isTrue();
            }
        }
    }

    /** The writer does not know which settlement waits for which lock if rows other than rows of jobs are locked. */
    @Test
    void settlementsThatWaitForKeysDelayNoNewJob() throws Exception {
        Counted counted = new Counted(
                operation -> Thread.currentThread().getName().contains("-work-") && operation.is(Settle.class),
                operation -> operation.command() instanceof Enqueue enqueue && !enqueue.hasKeys());
        StoreDriver patient = open(Duration.ofSeconds(60), counted);
        for (int i = 0; i < LOCKED; i++) {
            patient.enqueue(NewRow.job().dedupe(Dedupe.key("k" + i)));
        }
        List<ClaimedJob> jobs = patient.claim(LOCKED);
        try (Connection other = openTransaction();
                Statement statement = other.createStatement()) {
            statement.execute(tables.tables().inSchema("SELECT 1 FROM windrow_dedupe FOR UPDATE"));
            counted.stops = true;
            List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
            jobs.forEach(job -> waiting.add(patient.store().submit(patient.settlement(job, Transition.COMPLETE))));
            counted.stopped.await();
            CompletableFuture<?> answer = patient.store()
                    .submit(new Enqueue(List.of(NewRow.of("q", "free").row())));
            counted.submitted.countDown();
            Object unused = answer.get(60, TimeUnit.SECONDS);
            assertThat(counted.untilStranger).isLessThanOrEqualTo(6);
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            other.rollback();
            for (CompletableFuture<Boolean> settled : waiting) {
                assertThat(StoreDriver.answer(settled)).isTrue();
            }
        }
    }

    /** The next try of the first submission may be due while others of the same round are tried. */
    @Test
    void anOperationDueAgainInTheSameRoundIsRetried() throws Exception {
        List<Long> ids = store.enqueueAll(NewRow.job(), NewRow.job());
        List<ClaimedJob> jobs = store.claim(2);
        AtomicReference<Submission<?>> first = new AtomicReference<>();
        AtomicInteger held = new AtomicInteger();
        StoreDriver probed = open(TIMEOUT, new Writer.Probe() {
            @Override
            public void began(Session session, Batch batch) {
                for (Submission<?> operation : batch.submissions()) {
                    if (ids.get(0).equals(operation.command().attemptOf())) {
                        first.set(operation);
                    } else if (ids.get(1).equals(operation.command().attemptOf())
                            && first.get() != null
                            && first.get().delays() > 0
                            && held.incrementAndGet() < 5) {
                        Awaitility.await()
                                .atMost(TIMEOUT)
                                .until(() -> !first.get().isDelayedAt(System.nanoTime()));
                    }
                }
            }
        });
        try (Connection other = openTransaction()) {
            lock(other, ids.get(0));
            lock(other, ids.get(1));
            List<CompletableFuture<Boolean>> answers = new ArrayList<>();
            jobs.forEach(job -> answers.add(probed.store().submit(probed.settlement(job, Transition.COMPLETE))));
            Awaitility.await().atMost(TIMEOUT).until(() -> held.get() >= 3);
            other.rollback();
            for (CompletableFuture<Boolean> answer : answers) {
                assertThat(StoreDriver.answer(answer)).isTrue();
            }
        }
    }

    @Test
    void reportsAndSettlementsOfManyJobsKeepTheirOrderBehindLocks() throws Exception {
        List<Long> ids = store.enqueueAll(Collections.nCopies(LOCKED, NewRow.job()));
        List<ClaimedJob> jobs = store.claim(LOCKED);
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        try (Connection other = openTransaction()) {
            for (long id : ids) {
                lock(other, id);
            }
            for (ClaimedJob job : jobs) {
                store.started(new dev.windrow.store.job.Started(job.leaseToken(), "w", job.claimedAtMillis()));
                answers.add(store.store()
                        .submit(new dev.windrow.store.job.Report(
                                job.leaseToken(),
                                "w",
                                null,
                                List.of(new dev.windrow.store.job.Report.Line(1, dev.windrow.LogLevel.INFO, "hello")),
                                null)));
            }
            disturbance.of(Report.class);
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> disturbance.transactions.get() > 10);
            for (ClaimedJob job : jobs) {
                answers.add(store.store().submit(store.settlement(job, Transition.COMPLETE)));
            }
            assertThat(answers).noneMatch(CompletableFuture::isDone);
            other.rollback();
            for (CompletableFuture<Boolean> answer : answers) {
                assertThat(StoreDriver.answer(answer)).isTrue();
            }
        }
        for (long id : ids) {
            assertThat(store.history(id).log()).hasSize(1);
            assertThat(store.events(id))
                    .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
        }
    }

    @Test
    void aNewTypeInAnOpenTransactionDelaysNoOtherOperation() throws Exception {
        try (Connection other = openTransaction()) {
            store.store()
                    .apply(other, new Enqueue(List.of(NewRow.of("new", "type").row())));
            store.enqueue(NewRow.of("new", "type"));
            assertThat(store.claim(StoreDriver.request("w", Set.of("new"), Set.of("type"), 5))
                            .jobs())
                    .hasSize(1);
            other.rollback();
        }
        assertThat(jobs()).isEqualTo(1);
    }

    @Test
    void aChangeOfALockedJobWaitsAndFailsInTimeWithAReason() throws Exception {
        StoreDriver impatient = open(Duration.ofSeconds(1), Writer.Probe.NONE);
        List<Long> ids = store.enqueueAll(NewRow.job(), NewRow.job());
        try (Connection other = openTransaction()) {
            lock(other, ids.get(0));
            var change =
                    ChangeByFilter.run(impatient.store(), StoreDriver.change(Change.Verb.CANCEL, List.of(ids.get(0))));
            assertThat(impatient.change(Change.Verb.CANCEL, ids.get(1)).count()).isEqualTo(1);
            assertThatThrownBy(() -> StoreDriver.answer(change))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("another transaction");
            other.rollback();
        }
        assertThat(impatient.state(ids.get(0))).isEqualTo(JobState.PENDING);
    }

    /** Failure class 13: a touch proves that a live worker could have renewed its leases. */
    @Test
    void aTouchWaitsForALockThatBlocksRenewals() throws Exception {
        CompletableFuture<Void> touched;
        try (Connection other = openTransaction();
                var statement = other.createStatement()) {
            statement.execute(tables.tables().inSchema("LOCK TABLE windrow_jobs IN SHARE MODE"));
            touched = store.store().submit(new Touch());
            for (int i = 0; i < 3; i++) {
                awaitWaits(1);
                awaitWaits(0);
            }
            assertThat(touched).isNotDone();
            other.rollback();
        }
        Object unused = StoreDriver.answer(touched);
    }

    /** Failure class 13: a live worker could not renew the lease, and must get the time to do so. */
    @Test
    void aJobWithALockedRowIsNoSuspectUntilItIsUnlocked() throws Exception {
        ManualTime time = new ManualTime();
        try (StoreDriver driver = new StoreDriver(
                PostgresStore.configure(server.url()).schema(schema).build(), time)) {
            long held = driver.running(NewRow.job()).id();
            long free = driver.running(NewRow.job()).id();
            time.advance(StoreDriver.LEASE.multipliedBy(2));
            try (Connection other = openTransaction()) {
                lock(other, held);
                assertThat(suspects(driver, 1)).containsExactly(free);
                other.rollback();
            }
            assertThat(suspects(driver, 10)).containsExactly(held, free);
        }
    }

    private static List<Long> suspects(StoreDriver driver, int limit) {
        return driver.store().suspects(StoreDriver.LEASE.toMillis(), null, limit).stream()
                .map(suspect -> suspect.leaseToken().id())
                .toList();
    }

    /** Waits until a session waits for a lock (1), or none does (0). The sessions give up after a moment, and try again. */
    private void awaitWaits(int count) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(2))
                .until(() -> tables.one("SELECT least(count(*), 1) FROM pg_locks WHERE NOT granted")
                        .equals(Integer.toString(count)));
    }

    @Test
    void aClaimSkipsLockedJobs() throws Exception {
        List<Long> ids = store.enqueueAll(Collections.nCopies(3, NewRow.job()));
        try (Connection other = openTransaction()) {
            lock(other, ids.get(0));
            Claimed claimed = store.claim(StoreDriver.request(5));
            assertThat(claimed.jobs()).extracting(ClaimedJob::id).isEqualTo(ids.subList(1, 3));
            other.rollback();
        }
        assertThat(store.claim(5)).extracting(ClaimedJob::id).containsExactly(ids.get(0));
    }

    @Test
    void renewalsAreHeapOnly() throws SQLException {
        store.enqueueAll(Collections.nCopies(50, NewRow.job()));
        List<LeaseToken> leaseTokens =
                store.claim(50).stream().map(ClaimedJob::leaseToken).toList();
        String updates =
                "SELECT n_tup_upd - n_tup_hot_upd, n_tup_upd FROM pg_stat_user_tables WHERE relid = 'windrow_jobs'::regclass";
        // While another test's transaction may still see the old rows, their space cannot be used again. Then the round
        // is repeated.
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 10 && least >= 100; round++) {
            long before = others(updates);
            for (int i = 0; i < 20; i++) {
                assertThat(store.store().submit(new Renew(leaseTokens, 30_000)))
                        .succeedsWithin(Duration.ofSeconds(60))
                        .isEqualTo(List.of());
            }
            least = Math.min(least, others(updates) - before);
        }
        // A page without free space moves a row now and then.
        assertThat(least).isLessThan(100);
    }

    /** Returns the number of updates that were not heap-only, once the server has counted the last ones. */
    private long others(String sql) throws SQLException {
        String last = "";
        String now = tables.one(sql);
        for (int i = 0; i < 20 && !now.equals(last); i++) {
            tables.execute("SELECT pg_sleep(0.6), pg_stat_clear_snapshot()");
            last = now;
            now = tables.one(sql);
        }
        return Long.parseLong(now.substring(0, now.indexOf('|')));
    }
}
