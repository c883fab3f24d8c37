package dev.windrow.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.EventKind;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.LogLevel;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.connection.Session;
import dev.windrow.query.JobFilter;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.LeaseToken;
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
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Operations whose server is killed while they run. Each test has its own server. */
class WriterAndServerTest {
    private final Disturbance disturbance = new Disturbance();

    @Test
    void anOutcomeThatCannotBeFoundIsUnknown() throws Exception {
        PostgresServer own = PostgresServer.start();
        try (own;
                StoreDriver driver = new StoreDriver(
                        PostgresStore.configure(own.url())
                                .operationTimeout(Duration.ofMillis(1500))
                                .probe(disturbance)
                                .build(),
                        new ManualTime())) {
            driver.enqueue(NewRow.job());
            disturbance.of(Enqueue.class).afterCommit(session -> {
                own.kill();
                Disturbance.answerLost(session);
            });
            CompletableFuture<List<EnqueuedJob>> answer =
                    driver.store().submit(new Enqueue(List.of(NewRow.job().row())));
            assertThatThrownBy(() -> StoreDriver.answer(answer)).isInstanceOf(OutcomeUnknownException.class);
            own.startAgain();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                try {
                    return driver.claim(10).size() == 2;
                } catch (StoreUnavailableException e) {
                    return false;
                }
            });
        }
    }

    /** A killed server assigns the transaction numbers that it had not logged to other transactions. */
    @Test
    void aCommitLostInACrashIsNotConfusedWithALaterTransaction() throws Exception {
        try (PostgresServer own = crashing();
                StoreDriver driver = open(own.url())) {
            driver.enqueue(NewRow.job().tags("tag"));
            lostInACrash(own, Enqueue.class, "SELECT 1");
            long id = driver.enqueue(NewRow.job().tags("tag"));
            assertThat(driver.store().history(id)).isPresent();
            assertThat(jobs(driver)).hasSize(2);
        }
    }

    /** The other process has taken the same ids, because the server had not logged that they were taken. */
    @Test
    void aNewJobLostInACrashIsNotConfusedWithAJobOfTheSameId() throws Exception {
        try (PostgresServer own = crashing();
                StoreDriver driver = open(own.url())) {
            driver.enqueue(NewRow.job().tags("tag"));
            lostInACrash(own, Enqueue.class, session ->
                    """
                    INSERT INTO windrow_jobs SELECT (jsonb_populate_record(j, '{"id": %1$s}')).* FROM windrow_jobs j LIMIT 1;
                    INSERT INTO windrow_inputs
                    SELECT (jsonb_populate_record(i, '{"job_id": %1$s, "created_at": 1}')).* FROM windrow_inputs i LIMIT 1
                    """.formatted(one(session.connection(), "SELECT max(id) FROM windrow_jobs")));
            driver.enqueue(NewRow.job().tags("tag"));
            assertThat(jobs(driver)).hasSize(3);
        }
    }

    /** Of many jobs that are due after a crash, the first transactions make some due that had claimed them before. */
    @Test
    void aClaimLostInACrashIsNotConfusedWithAChangeOfTheJob() throws Exception {
        try (PostgresServer own = crashing();
                StoreDriver driver = open(own.url())) {
            long id = driver.enqueue(NewRow.job());
            lostInACrash(own, Claim.class, "UPDATE windrow_jobs SET scheduled_at = scheduled_at");
            assertThat(driver.claim(10))
                    .singleElement()
                    .satisfies(job -> assertThat(job.id()).isEqualTo(id));
            assertThat(driver.state(id)).isEqualTo(JobState.RUNNING);
        }
    }

    /** After a crash, each process renews its leases early. */
    @Test
    void aStartLostInACrashIsNotConfusedWithARenewal() throws Exception {
        try (PostgresServer own = crashing();
                StoreDriver driver = open(own.url())) {
            ClaimedJob job = driver.running(NewRow.job());
            lostInACrash(own, Started.class, RENEWAL);
            driver.start(job);
            assertThat(driver.events(job.id())).contains(EventKind.STARTED);
        }
    }

    @Test
    void aCompletionLostInACrashIsNotConfusedWithARenewal() throws Exception {
        try (PostgresServer own = crashing();
                StoreDriver driver = open(own.url())) {
            ClaimedJob job = driver.running(NewRow.job());
            lostInACrash(own, Settle.class, RENEWAL);
            assertThat(driver.complete(job)).isTrue();
            assertThat(driver.state(job.id())).isEqualTo(JobState.COMPLETED);
        }
    }

    @Test
    void aFailureLostInACrashIsNotConfusedWithAnEventOfTheJob() throws Exception {
        try (PostgresServer own = crashing();
                StoreDriver driver = open(own.url())) {
            ClaimedJob job = driver.running(NewRow.job());
            lostInACrash(own, Settle.class, """
                    INSERT INTO windrow_events (job_id, at, token, actor, event)
                    SELECT id, 1, token, worker, 'CANCEL_REQUESTED' FROM windrow_jobs
                    """);
            assertThat(driver.fail(job, "CODE")).isTrue();
            assertThat(driver.state(job.id())).isEqualTo(JobState.FAILED);
        }
    }

    @Test
    void aReportLostInACrashIsNotConfusedWithARenewal() throws Exception {
        try (PostgresServer own = crashing();
                StoreDriver driver = open(own.url())) {
            ClaimedJob job = driver.running(NewRow.job());
            lostInACrash(own, Report.class, RENEWAL);
            Report.Line line = new Report.Line(1, LogLevel.INFO, "line");
            assertThat(StoreDriver.answer(driver.store()
                            .submit(new Report(
                                    /* leaseToken= */ job.leaseToken(),
                                    /* worker= */ "worker",
                                    /* progress= */ null,
                                    /* lines= */ List.of(line),
                                    /* stuck= */ null))))
                    .isTrue();
            assertThat(driver.history(job.id()).log()).hasSize(1);
        }
    }

    @Test
    void aStepLostInACrashIsNotConfusedWithARenewal() throws Exception {
        try (PostgresServer own = crashing();
                StoreDriver driver = open(own.url())) {
            ClaimedJob job = driver.running(NewRow.job());
            lostInACrash(own, StepWrite.class, RENEWAL);
            StoreDriver.answer(driver.store().submit(StepWrite.work(job.leaseToken(), "step", "1", 1)));
            assertThat(driver.history(job.id()).steps()).hasSize(1);
        }
    }

    /** A renewal changes no value that another one does not change. */
    @Test
    void aRenewalThatMayBeLostInACrashHasAnUnknownOutcome() throws Exception {
        try (PostgresServer own = crashing();
                StoreDriver driver = open(own.url())) {
            ClaimedJob job = driver.running(NewRow.job());
            lostInACrash(own, Renew.class, "SELECT 1");
            CompletableFuture<List<LeaseToken>> answer =
                    driver.store().submit(new Renew(List.of(job.leaseToken()), 60_000));
            assertThatThrownBy(() -> StoreDriver.answer(answer)).isInstanceOf(OutcomeUnknownException.class);
        }
    }

    private static final String RENEWAL = "UPDATE windrow_jobs SET lease_until = lease_until + 1";

    /** Starts a server that logs a transaction at its commit and not before. */
    private static PostgresServer crashing() {
        return PostgresServer.start("wal_writer_delay=10s");
    }

    private void lostInACrash(PostgresServer server, Class<?> kind, String sql) {
        lostInACrash(server, kind, session -> sql);
    }

    private interface Reuse {
        String sql(Session session) throws SQLException;
    }

    /**
     * Kills the server before the commit of the next command of this kind, and runs the SQL in a transaction that gets its number. If the server has
     * logged the number, because a notification was committed meanwhile, the repeated command is lost.
     */
    private void lostInACrash(PostgresServer server, Class<?> kind, Reuse reuse) {
        disturbance.of(kind).beforeCommit(session -> {
            long number = transactionNumber(session.connection());
            String sql = reuse.sql(session);
            server.kill();
            server.startAgain();
            try (Connection other = server.dataSource().getConnection();
                    Statement statement = other.createStatement()) {
                other.setAutoCommit(false);
                long given = transactionNumber(other);
                while (given < number) {
                    other.rollback();
                    given = transactionNumber(other);
                }
                if (given == number) {
                    statement.execute(sql);
                    other.commit();
                } else {
                    lostInACrash(server, kind, reuse);
                }
            }
        });
    }

    private StoreDriver open(String url) {
        return new StoreDriver(
                PostgresStore.configure(url)
                        .operationTimeout(Duration.ofSeconds(60))
                        .probe(disturbance)
                        .build(),
                new ManualTime());
    }

    private static List<Long> jobs(StoreDriver driver) {
        return driver.store().list(JobFilter.ALL, Long.MAX_VALUE, 10).jobs().stream()
                .map(JobInfo::id)
                .sorted()
                .toList();
    }

    @Test
    void aLoneJobWhoseServerCrashesAfterTheCommitIsFound() {
        PostgresServer own = PostgresServer.start();
        try (own;
                StoreDriver driver = open(own.url())) {
            long first = driver.enqueue(NewRow.job());
            disturbance.of(Enqueue.class).afterCommit(session -> {
                own.kill();
                own.startAgain();
                Disturbance.answerLost(session);
            });
            assertThat(driver.enqueue(NewRow.job())).isEqualTo(first + 1);
            assertThat(jobs(driver)).containsExactly(first, first + 1);
        }
    }

    /** The id belongs to no other process after the crash, so that a job under it could only be this one. */
    @Test
    void aLoneJobWhoseServerCrashesBeforeIsWrittenUnderAnotherId() {
        PostgresServer own = PostgresServer.start("wal_writer_delay=10s");
        try (own;
                StoreDriver driver = open(own.url())) {
            long first = driver.enqueue(NewRow.job());
            AtomicLong others = new AtomicLong();
            disturbance.of(Enqueue.class).beforeCommit(session -> {
                own.kill();
                own.startAgain();
                try (StoreDriver other =
                        new StoreDriver(PostgresStore.configure(own.url()).build(), new ManualTime())) {
                    others.set(other.enqueue(NewRow.job()));
                }
            });
            long second = driver.enqueue(NewRow.job());
            assertThat(others.get()).isGreaterThan(first + 1);
            assertThat(jobs(driver)).hasSize(3).contains(first, others.get(), second);
        }
    }

    @Test
    void aLoneJobThatIsLostBeforeAPromotionHasAnUnknownOutcome() {
        PostgresServer primary = PostgresServer.start();
        try (primary;
                PostgresServer standby = primary.startStandby();
                StoreDriver driver = open(
                        "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres".formatted(primary.port(), standby.port())
                                + "?user=postgres&targetServerType=primary&hostRecheckSeconds=0")) {
            long first = driver.enqueue(NewRow.job());
            disturbance.of(Enqueue.class).beforeCommit(session -> {
                FailoverTest.promote(primary, standby);
                primary.kill();
            });
            CompletableFuture<List<EnqueuedJob>> answer =
                    driver.store().submit(new Enqueue(List.of(NewRow.job().row())));
            assertThatThrownBy(() -> StoreDriver.answer(answer))
                    .isInstanceOfSatisfying(
                            OutcomeUnknownException.class,
                            unknown -> assertThat(unknown.ids()).containsExactly(first + 1));
            assertThat(driver.enqueue(NewRow.job())).isGreaterThan(first + 1);
        }
    }

    /** A server that only reads refuses the message before its commit. So the job is tried in the usual way, and may be withdrawn. */
    @Test
    void aLoneJobOnAServerThatOnlyReadsHasCertainlyNotBeenWritten() throws SQLException {
        PostgresServer own = PostgresServer.start();
        try (own;
                StoreDriver driver = new StoreDriver(
                        PostgresStore.configure(own.url())
                                .operationTimeout(Duration.ofSeconds(2))
                                .probe(disturbance)
                                .build(),
                        new ManualTime())) {
            driver.enqueue(NewRow.job());
            disturbance.of(Enqueue.class).atBegin(session -> {
                readOnly(own, true);
                try (Statement statement = session.connection().createStatement()) {
                    statement.execute("SET default_transaction_read_only = on");
                }
                session.commit();
            });
            CompletableFuture<List<EnqueuedJob>> answer =
                    driver.store().submit(new Enqueue(List.of(NewRow.job().row())));
            assertThatThrownBy(() -> StoreDriver.answer(answer))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("nothing was written");
            assertThat(disturbance.sent).hasSize(1);
            readOnly(own, false);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> driver.enqueue(NewRow.job()) > 0);
            assertThat(jobs(driver)).hasSizeGreaterThanOrEqualTo(2);
        }
    }

    /** Changes the default of all sessions, and waits until new ones have it. */
    private static void readOnly(PostgresServer server, boolean is) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET default_transaction_read_only = " + (is ? "on" : "off"));
            statement.execute("SELECT pg_reload_conf()");
        }
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            try (Connection connection = server.dataSource().getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SHOW default_transaction_read_only")) {
                row.next();
                return row.getString(1).equals(is ? "on" : "off");
            }
        });
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

    @Test
    void aStoreIsClosedWhileTheServerIsAway() {
        PostgresServer own = PostgresServer.start();
        try (own) {
            // Creates the tables, because the next open has no time for that.
            new StoreDriver(PostgresStore.configure(own.url()).build(), new ManualTime()).close();
            // Each component of a closing store waits so long for the server.
            Duration hasty = Duration.ofMillis(300);
            StoreDriver driver = untilInTime(() -> new StoreDriver(
                    PostgresStore.configure(own.url())
                            .operationTimeout(hasty)
                            .leastConnectionWait(hasty)
                            .build(),
                    new ManualTime()));
            untilInTime(() -> driver.enqueue(NewRow.job()));
            own.kill();
            // A job without a tag is sent with its commit, so that its outcome would be unknown.
            CompletableFuture<List<EnqueuedJob>> answer = driver.store()
                    .submit(new Enqueue(List.of(NewRow.job().tags("tag").row())));
            assertThatThrownBy(() -> StoreDriver.answer(answer))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("was withdrawn");
            driver.close();
        }
    }

    /** Repeats an operation until it ends in time. */
    private static <T> T untilInTime(Callable<T> operation) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .ignoreException(StoreUnavailableException.class)
                .until(operation, Objects::nonNull);
    }
}
