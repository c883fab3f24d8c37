package dev.windrow.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobState;
import dev.windrow.LogLevel;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.writer.Witness;
import dev.windrow.query.JobFilter;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.store.step.StepWrite;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Commits whose answer is lost in a crash of the server. The server assigns the transaction numbers that it had not logged again. In these tests, a
 * transaction of another process about the same job gets the number.
 */
class LostCommitTest {
    private static final String RENEWAL = "UPDATE windrow_jobs SET lease_until = lease_until + 1";

    private static final String STAYS_OPEN = "";

    private final Disturbance disturbance = new Disturbance();
    private final List<Connection> connections = new ArrayList<>();
    private int expected;
    private int reused;

    /** A server that does not log numbers by itself while a test runs. */
    private final PostgresServer server = PostgresServer.start("wal_writer_delay=10s", "autovacuum=off");

    private final StoreDriver driver = open(server.url());

    private StoreDriver open(String url) {
        return new StoreDriver(
                PostgresStore.configure(url)
                        .operationTimeout(Duration.ofSeconds(60))
                        .probe(disturbance)
                        .build(),
                new ManualTime());
    }

    @AfterEach
    void close() throws SQLException {
        for (Connection connection : connections) {
            connection.close();
        }
        driver.close();
        server.close();
        assertThat(reused).as("numbers that were assigned again").isEqualTo(expected);
    }

    private interface Crash {
        void run(Session session) throws SQLException;
    }

    private interface Sql {
        String of(Session session) throws SQLException;
    }

    private void restart(Session session) {
        server.kill();
        server.startAgain();
    }

    /** The server stays, with its start time, and ends all other connections. */
    private void crashOfOneProcess(Session session) throws SQLException {
        long process = Long.parseLong(one(session.connection(), "SELECT pg_backend_pid()"));
        assertThat(ProcessHandle.of(process).orElseThrow().destroyForcibly()).isTrue();
        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptionsInstanceOf(SQLException.class)
                .until(() -> {
                    try (Connection connection = server.dataSource().getConnection()) {
                        return connection.isValid(10);
                    }
                });
    }

    private void lose(Class<?> kind, String sql) {
        lose(kind, this::restart, session -> sql);
    }

    /** Lets the server crash before the commit of the next command of this kind, and runs the SQL in a transaction with its number. */
    private void lose(Class<?> kind, Crash crash, Sql sql) {
        expected++;
        disturbance.of(kind).beforeCommit(session -> lost(session, kind, crash, sql));
    }

    /** If the server has logged the number, because a notification was committed meanwhile, it crashes again at the repeated command. */
    private void lost(Session session, Class<?> kind, Crash crash, Sql sql) throws SQLException {
        long number = transactionNumber(session.connection());
        String text = sql.of(session);
        crash.run(session);
        Connection other = server.dataSource().getConnection();
        connections.add(other);
        other.setAutoCommit(false);
        long given = transactionNumber(other);
        while (given < number) {
            other.rollback();
            given = transactionNumber(other);
        }
        if (given > number) {
            other.rollback();
            disturbance.of(kind).beforeCommit(again -> lost(again, kind, crash, sql));
            return;
        }
        reused++;
        if (!text.equals(STAYS_OPEN)) {
            try (Statement statement = other.createStatement()) {
                statement.execute(text);
            }
            other.commit();
        }
    }

    private static long transactionNumber(Connection connection) throws SQLException {
        return Long.parseLong(one(connection, "SELECT pg_current_xact_id()::text"));
    }

    private static String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private int jobs() {
        return read(() ->
                driver.store().list(JobFilter.ALL, Long.MAX_VALUE, 10).jobs().size());
    }

    /** After many crashes, the pool of the connections may pause for longer than a read waits. */
    private static <T> T read(Callable<T> read) {
        return await().atMost(Duration.ofSeconds(60))
                .ignoreException(StoreUnavailableException.class)
                .until(read, Objects::nonNull);
    }

    /** Without a tag, the job would be sent in one message with its commit. */
    private static NewRow job() {
        return NewRow.job().tags("tag");
    }

    private static Report report(ClaimedJob job) {
        return new Report(
                /* leaseToken= */ job.leaseToken(),
                /* worker= */ "w",
                /* progress= */ null,
                /* lines= */ List.of(new Report.Line(1, LogLevel.INFO, "line")),
                /* stuck= */ null);
    }

    @Test
    void aLostJobIsWrittenAgain() {
        driver.enqueue(job());
        lose(Enqueue.class, "SELECT 1");
        long id = driver.enqueue(job());
        assertThat(read(() -> driver.store().history(id))).isPresent();
        assertThat(jobs()).isEqualTo(2);
    }

    /** The other process has taken the same ids, because the server had not logged that they were taken. */
    @Test
    void aLostJobIsNotConfusedWithAJobOfTheSameId() {
        driver.enqueue(job());
        lose(Enqueue.class, this::restart, session ->
                """
                INSERT INTO windrow_jobs SELECT (jsonb_populate_record(j, '{"id": %1$s}')).* FROM windrow_jobs j LIMIT 1;
                INSERT INTO windrow_inputs
                SELECT (jsonb_populate_record(i, '{"job_id": %1$s, "created_at": 1}')).* FROM windrow_inputs i LIMIT 1
                """.formatted(one(session.connection(), "SELECT max(id) FROM windrow_jobs")));
        driver.enqueue(job());
        assertThat(jobs()).isEqualTo(3);
    }

    /** Many jobs become due during a crash. The first transactions after it make jobs ready that a lost transaction had claimed. */
    @Test
    void aLostClaimIsNotConfusedWithAChangeOfTheJob() {
        long id = driver.enqueue(job());
        lose(Claim.class, "UPDATE windrow_jobs SET scheduled_at = scheduled_at");
        assertThat(driver.claimOne().id()).isEqualTo(id);
        assertThat(read(() -> driver.state(id))).isEqualTo(JobState.RUNNING);
    }

    /** After a crash, each process renews its leases early. */
    @Test
    void aLostStartIsNotConfusedWithARenewal() {
        ClaimedJob job = driver.running(job());
        lose(Started.class, RENEWAL);
        driver.start(job);
        assertThat(read(() -> driver.job(job.id())).startedAt()).isNotNull();
    }

    @Test
    void aLostCompletionIsNotConfusedWithARenewal() {
        ClaimedJob job = driver.running(job());
        lose(Settle.class, RENEWAL);
        assertThat(driver.complete(job)).isTrue();
        assertThat(read(() -> driver.state(job.id()))).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void aLostFailureIsNotConfusedWithAnEventOfTheJob() {
        ClaimedJob job = driver.running(job());
        lose(Settle.class, """
                INSERT INTO windrow_events (job_id, at, token, actor, event)
                SELECT id, 1, token, worker, 'CANCEL_REQUESTED' FROM windrow_jobs
                """);
        assertThat(driver.fail(job, "CODE")).isTrue();
        assertThat(read(() -> driver.state(job.id()))).isEqualTo(JobState.FAILED);
    }

    @Test
    void aLostReportIsNotConfusedWithARenewal() {
        ClaimedJob job = driver.running(job());
        lose(Report.class, RENEWAL);
        assertThat(StoreDriver.answer(driver.store().submit(report(job)))).isTrue();
        assertThat(read(() -> driver.history(job.id())).log()).hasSize(1);
    }

    @Test
    void aLostStepIsNotConfusedWithARenewal() {
        ClaimedJob job = driver.running(job());
        lose(StepWrite.class, RENEWAL);
        StoreDriver.answer(driver.store().submit(StepWrite.work(job.leaseToken(), "step", "1", 1)));
        assertThat(read(() -> driver.history(job.id())).steps()).hasSize(1);
    }

    @Test
    void aLostDeletionIsMadeAgain() {
        long id = driver.enqueue(job());
        driver.change(Change.Verb.CANCEL, id);
        lose(Change.class, "SELECT 1");
        driver.change(Change.Verb.DELETE, id);
        assertThat(jobs()).isZero();
        assertThat(read(() -> driver.audit(10))).hasSize(2);
    }

    /** No value in a row tells one renewal from another. The start time of the server does not show the crash of one of its processes. */
    @Test
    void aRenewalThatMayBeLostHasAnUnknownOutcome() {
        ClaimedJob job = driver.running(job());
        Renew renew = new Renew(List.of(job.leaseToken()), 60_000);
        for (Crash crash : List.<Crash>of(this::restart, this::crashOfOneProcess)) {
            lose(Renew.class, crash, session -> "SELECT 1");
            assertThatThrownBy(() -> StoreDriver.answer(driver.store().submit(renew)))
                    .isInstanceOf(OutcomeUnknownException.class);
        }
    }

    @Test
    void anOpenTransactionWithTheNumberIsNotAwaited() {
        driver.enqueue(job());
        lose(Claim.class, STAYS_OPEN);
        assertThat(driver.claim(10)).hasSize(1);
    }

    /** After a crash, such a number is of a lost transaction. */
    @Test
    void theStatusOfANumberThatWasNotAssignedIsAnError() throws SQLException {
        try (TestTables tables = TestTables.open(server, "public");
                PostgresStatements statements = new PostgresStatements(tables.connection(), tables.tables())) {
            String future = Long.toString(transactionNumber(tables.connection()) + 1000);
            assertThatThrownBy(() -> Witness.status(statements, future, null))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(PostgresErrors.isOfTheFuture(e)).isTrue());
        }
    }

    /** A lost transaction that wrote nothing is run again. */
    @Test
    void aTransactionWithoutWritesHasAKnownOutcome() {
        ClaimedJob job = driver.running(job());
        driver.complete(job);
        lose(Report.class, "SELECT 1");
        assertThat(StoreDriver.answer(driver.store().submit(report(job)))).isFalse();
    }

    private interface Work {
        void run(ClaimedJob job) throws Exception;
    }

    private void assertFound(ClaimedJob job, Class<?> kind, Work work) throws Exception {
        disturbance.transactions.set(0);
        disturbance.of(kind).afterCommit(session -> {
            restart(session);
            Disturbance.answerLost(session);
        });
        work.run(job);
        assertThat(disturbance.transactions).as(kind.getSimpleName()).hasValue(1);
    }

    @Test
    void whatWasCommittedBeforeACrashIsNotRepeated() throws Exception {
        assertAllFound(driver);
    }

    /** With this setting, the driver would make savepoints, and rows would not have the number of their transaction. */
    @Test
    void whatWasCommittedIsNotRepeatedIfTheDriverIsToMakeSavepoints() throws Exception {
        try (StoreDriver saving = open(server.url() + (server.url().contains("?") ? "&" : "?") + "autosave=always")) {
            assertAllFound(saving);
        }
    }

    private void assertAllFound(StoreDriver store) throws Exception {
        assertFound(null, Enqueue.class, none -> store.enqueue(job()));
        ClaimedJob[] claimed = new ClaimedJob[1];
        assertFound(null, Claim.class, none -> claimed[0] = store.claimOne());
        ClaimedJob job = claimed[0];
        assertFound(job, Started.class, store::start);
        assertFound(job, Report.class, it -> StoreDriver.answer(store.store().submit(report(it))));
        assertFound(
                job,
                StepWrite.class,
                it -> StoreDriver.answer(store.store().submit(StepWrite.work(it.leaseToken(), "step", "1", 1))));
        assertFound(job, Settle.class, it -> assertThat(store.fail(it, "CODE")).isTrue());
        assertFound(job, Change.class, it -> store.change(Change.Verb.RETRY, it.id()));
        ClaimedJob again = store.claimOne();
        assertFound(again, Settle.class, it -> assertThat(store.complete(it)).isTrue());
        assertThat(read(() -> store.history(again.id())).log()).hasSize(1);
    }
}
