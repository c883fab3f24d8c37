package dev.windrow.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.Hooks;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.TwoTransactions;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** The position at which queries for the next due job begin, and the transactions that run such queries. */
class DueCursorTest extends TwoTransactions {
    private static final long HOUR_NANOS = 3_600_000_000_000L;
    private static final int DEAD = 5_000;

    private final DueCursor cursor = new DueCursor();

    private void slow() {
        cursor.took(HOUR_NANOS);
        cursor.took(HOUR_NANOS);
    }

    private void look(@Nullable Long finds) {
        end(cursor.view(), finds);
    }

    private static void end(DueCursor.View view, @Nullable Long finds) {
        view.found(finds);
        view.move();
    }

    @Test
    void dueSearchesBeginAtTheHeadWhileThatIsFast() {
        look(10L);
        assertThat(cursor.view().from()).isEqualTo(Long.MIN_VALUE);
        cursor.took(HOUR_NANOS);
        assertThat(cursor.view().from()).as("one that took long is none").isEqualTo(Long.MIN_VALUE);
        cursor.took(HOUR_NANOS);
        assertThat(cursor.view().from()).isEqualTo(10);
        cursor.took(0);
        assertThat(cursor.view().from()).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void theDurationOfADueSearchWithOtherStatementsIsNotItsOwn() {
        for (int i = 0; i < 2; i++) {
            cursor.view().foundWithOthers(10L, HOUR_NANOS);
        }
        assertThat(cursor.view().from()).isEqualTo(Long.MIN_VALUE);
        assertThat(cursor.isUnmeasured()).as("the next one is sent alone").isTrue();
        look(10L);
        assertThat(cursor.isUnmeasured()).isFalse();
        cursor.view().foundWithOthers(10L, 1);
        assertThat(cursor.isUnmeasured()).as("all together took no time").isFalse();
    }

    @Test
    void aDueSearchBeginsWhereTheLastOneFoundAJob() {
        slow();
        look(10L);
        assertThat(cursor.view().from()).isEqualTo(10);
        look(null);
        assertThat(cursor.view().from()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aJobScheduledBeforeTheCursorMovesItBack() {
        slow();
        look(10L);
        cursor.scheduled(12);
        assertThat(cursor.view().from()).isEqualTo(10);
        cursor.scheduled(5);
        assertThat(cursor.view().from()).isEqualTo(5);
    }

    @Test
    void aJobScheduledDuringADueSearchIsFound() {
        slow();
        look(10L);
        DueCursor.View view = cursor.view();
        cursor.scheduled(15);
        end(view, 20L);
        assertThat(cursor.view().from()).isEqualTo(10);
    }

    @Test
    void aSearchFromTheHeadFindsJobsWithoutANotification() {
        slow();
        look(10L);
        DueCursor.View head = cursor.head();
        assertThat(head.from()).isEqualTo(Long.MIN_VALUE);
        end(head, 5L);
        slow();
        assertThat(cursor.view().from()).isEqualTo(5);
    }

    @Test
    void aSearchFromTheHeadMovesTheCursorBackDespiteAConcurrentSearch() {
        slow();
        look(100L);
        DueCursor.View head = cursor.head();
        look(100L);
        end(head, 50L);
        slow();
        assertThat(cursor.view().from()).isEqualTo(50);
        DueCursor.View late = cursor.head();
        look(40L);
        end(late, 60L);
        slow();
        assertThat(cursor.view().from()).as("it never moves the mark ahead").isEqualTo(40);
    }

    private static DueCursor cursor(StoreDriver store) {
        return TestTables.learned(store).due();
    }

    /** Returns the position for a process in which queries from the head take long. The listener runs one now and then. */
    private static long from(StoreDriver store) {
        DueCursor cursor = cursor(store);
        cursor.took(HOUR_NANOS);
        cursor.took(HOUR_NANOS);
        return cursor.view().from();
    }

    @Test
    void aStoreUsesItsOwnCommitsAndNotifiesPeerProcesses() throws SQLException {
        try (StoreDriver web = open(Writer.Probe.NONE);
                StoreDriver worker = open(Writer.Probe.NONE)) {
            tables.execute("LISTEN \"" + tables.tables().channel() + "\"");
            long due = time.millis() + Duration.ofHours(1).toMillis();
            end(cursor(web).head(), null);
            long job = web.enqueue(NewRow.job().delay(Duration.ofHours(1)));
            assertThat(from(web)).isLessThanOrEqualTo(due);
            PGConnection connection = tables.connection().unwrap(PGConnection.class);
            List<String> told = new ArrayList<>();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                for (PGNotification each : connection.getNotifications(100)) {
                    told.add(each.getParameter());
                }
                return told.stream().anyMatch(each -> each.endsWith(" due q t"));
            });
            assertThat(told.stream().map(each -> each.replaceAll("^\\S+ ", "")))
                    .containsSubsequence("scheduled " + due, "due q t");
            time.advance(Duration.ofHours(1));
            assertThat(worker.claim(10)).extracting(ClaimedJob::id).containsExactly(job);
            // A query finds no job at this point. Only the notification reports one.
            String scheduled = told.stream()
                    .filter(each -> each.endsWith(" scheduled " + due))
                    .findFirst()
                    .orElseThrow();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> {
                        end(cursor(worker).head(), null);
                        tables.execute("SELECT pg_notify('" + tables.tables().channel() + "', '" + scheduled + "')");
                        return from(worker) == due;
                    });
        }
    }

    @Test
    void dueJobsOfARolledBackTransactionAreFoundAgain() {
        try (StoreDriver store = open(disturbance)) {
            long job = store.enqueue(NewRow.job().delay(Duration.ofMinutes(1)));
            store.enqueue(NewRow.job().delay(Duration.ofHours(2)));
            time.advance(Duration.ofMinutes(2));
            disturbance.of(Claim.class).beforeCommit(session -> {
                from(store);
                throw new SQLException("told to wait for a lock", "55P03");
            });
            assertThat(store.claim(10)).extracting(ClaimedJob::id).containsExactly(job);
            assertThat(disturbance.transactions).hasValueGreaterThan(1);
        }
    }

    /** The source behaves like a proxy that leads one transaction to another server. */
    @Test
    void theAnswerOfAnotherServerMovesNoCursor() throws SQLException {
        DataSource real = server.dataSource();
        AtomicReference<StoreDriver> watched = new AtomicReference<>();
        // Either writer may take the claim.
        AtomicReference<Thread> line = new AtomicReference<>();
        List<Long> claimCursors = new CopyOnWriteArrayList<>();
        DataSource source = (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (Thread.currentThread().getName().startsWith("windrow-listener-")) {
                        throw new SQLException("its looks would move the mark", "08001");
                    }
                    if (Thread.currentThread() == line.get()) {
                        claimCursors.add(from(watched.get()));
                    }
                    return method.invoke(real, arguments);
                });
        try (StoreDriver store = new StoreDriver(
                Hooks.probe(
                                PostgresStore.configure(source).schema(schema).operationTimeout(Duration.ofSeconds(60)),
                                disturbance)
                        .build(),
                time)) {
            store.enqueue(NewRow.job().delay(Duration.ofHours(1)));
            assertThat(store.claim(10)).isEmpty();
            tables.execute("CREATE FUNCTION " + schema + ".pg_postmaster_start_time() RETURNS timestamptz LANGUAGE sql"
                    + " AS $$ SELECT timestamptz '2001-01-01 00:00Z' $$");
            disturbance.of(Claim.class).atBegin(session -> {
                try (Statement statement = session.connection().createStatement()) {
                    statement.execute("SET search_path = " + schema + ", pg_catalog");
                }
                session.commit();
                cursor(store).scheduled(5);
                watched.set(store);
                line.set(Thread.currentThread());
                throw new SQLException("told to wait for a lock", "55P03");
            });
            assertThat(store.claim(10)).isEmpty();
            assertThat(claimCursors).first().isEqualTo(5L);
        }
    }

    /** Adds jobs that were scheduled and have run, while a transaction is open that could see them. */
    private void dieScheduled() throws SQLException {
        tables.execute("INSERT INTO windrow_jobs (id, scheduled_at, lane, max_attempts, state)"
                + " SELECT 1000000 + n, 1000 + n, 1, 5, 'SCHEDULED' FROM generate_series(1, " + DEAD + ") n");
        tables.execute("UPDATE windrow_jobs SET state = 'COMPLETED' WHERE id > 1000000");
    }

    private interface Behind {
        void run() throws SQLException;
    }

    private void behindALongTransaction(Behind behind) throws SQLException {
        try (Connection old = server.dataSource().getConnection();
                Statement statement = old.createStatement()) {
            old.setAutoCommit(false);
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("SELECT count(*) FROM pg_class");
            dieScheduled();
            behind.run();
            old.rollback();
        }
    }

    private long read() throws SQLException {
        String before = "";
        String now = "0";
        while (!now.equals(before)) {
            tables.execute("SELECT pg_sleep(0.6), pg_stat_clear_snapshot()");
            before = now;
            now = tables.one(
                    "SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelid = 'windrow_jobs_due'::regclass");
        }
        return Long.parseLong(now);
    }

    /** Each query for the next due job steps over all dead entries here, because it is from the head and fast. */
    @Test
    void enqueuesDuringALongTransactionDoNotSearchForDueJobs() throws SQLException {
        try (StoreDriver store = open(Writer.Probe.NONE)) {
            store.enqueue(NewRow.job());
            behindALongTransaction(() -> {
                long before = read();
                int enqueues = 100;
                for (int i = 0; i < enqueues; i++) {
                    store.enqueue(NewRow.job());
                }
                assertThat(read() - before).isLessThan((long) enqueues * DEAD / 5);
            });
        }
    }

    @Test
    void aSearchFromTheCursorDuringALongTransactionReadsNoDeadRows() throws SQLException {
        try (StoreDriver store = open(Writer.Probe.NONE)) {
            store.enqueue(NewRow.job());
        }
        behindALongTransaction(() -> {
            for (String sql : List.of(
                    JobSql.NEXT_DUE,
                    JobSql.PROMOTE
                            .replace("$1", "9000000")
                            .replace("$2", "1000")
                            .replace("$3", "$1"))) {
                assertThat(pages(sql.replace("$1", "0"))).isGreaterThan(DEAD / 50);
                assertThat(pages(sql.replace("$1", "" + (1_000 + DEAD)))).isLessThan(20);
            }
        });
    }

    private long pages(String sql) throws SQLException {
        tables.connection().setAutoCommit(false);
        try {
            tables.execute("SET LOCAL enable_seqscan = off");
            Matcher hit = Pattern.compile("Buffers: shared hit=(\\d+)")
                    .matcher(String.join("\n", tables.rows("EXPLAIN (ANALYZE, BUFFERS) " + sql)));
            assertThat(hit.find()).isTrue();
            return Long.parseLong(hit.group(1));
        } finally {
            tables.connection().rollback();
            tables.connection().setAutoCommit(true);
        }
    }
}
