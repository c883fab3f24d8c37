package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.stores.Target;
import dev.windrow.testserver.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workers and an enqueuer, each in its own process, run on a PostgreSQL server. The test kills or stops the server and restarts it, or ends
 * connections one by one. No process may end. At rest, the test compares the history with the promises. The test prints its seed, which determines
 * the jobs and the ended connections. {@code -Dwindrow.restart.seed=N} repeats it. {@code -Dwindrow.restart.count=N} and {@code
 * -Dwindrow.terminate.count=N} set the number of disturbances.
 */
class ServerRestartTest {
    private static final int RESTARTS = Soak.number("windrow.restart.count", 2, 10);
    private static final int TERMINATIONS = Soak.number("windrow.terminate.count", 40, 1000);
    private static final int WORKERS = Soak.isOn() ? 4 : 2;
    /** The number of new ledger lines (starts, ends and answers) before the next disturbance. */
    private static final int LINES_BETWEEN = 200;

    @TempDir
    Path folder;

    private PostgresServer server;
    private Target target;
    private Storm storm;

    @BeforeEach
    void start() {
        server = PostgresServer.start();
        target = Target.newSchema(server);
        storm = new Storm(folder, target);
    }

    @AfterEach
    void end() throws Exception {
        storm.close();
        server.close();
    }

    private SplittableRandom begin(String what) throws Exception {
        long seed = Soak.seed("windrow.restart.seed");
        System.out.println(what + ": seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        storm.begin(WORKERS, 1, random::nextLong);
        return random;
    }

    @Test
    void a_server_restart_loses_no_job_and_requires_no_process_restart() throws Exception {
        SplittableRandom random = begin("restarts of the server");
        for (int i = 0; i < RESTARTS; i++) {
            storm.awaitProgress(LINES_BETWEEN + random.nextInt(LINES_BETWEEN));
            if (i % 2 == 0) {
                server.kill();
            } else {
                server.stop();
            }
            server.startAgain();
        }
        storm.awaitProgress(LINES_BETWEEN);
        // A listener needs a second for each broken connection of the pool.
        storm.awaitEachLogHas(" listens again");
        storm.settle();
        assertNothingLost(RESTARTS + " restarts");
    }

    @Test
    void connections_that_end_in_mid_transaction_lose_nothing() throws Exception {
        SplittableRandom random = begin("ends of connections");
        int ended = 0;
        try (Connection administrator = target.connect();
                Statement statement = administrator.createStatement()) {
            while (ended < TERMINATIONS) {
                List<Integer> working = inTransactions(statement);
                if (!working.isEmpty()) {
                    ended += terminate(statement, working.get(random.nextInt(working.size())));
                    if (ended % 10 == 0) {
                        storm.awaitProgress(LINES_BETWEEN / 10);
                    }
                }
            }
        }
        storm.awaitProgress(LINES_BETWEEN);
        storm.settle();
        assertNothingLost(ended + " connections ended");
    }

    /** Returns the sessions that hold locks on tables of the store, and so are in the middle of a transaction. */
    private List<Integer> inTransactions(Statement statement) throws SQLException {
        List<Integer> found = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery("""
                SELECT DISTINCT l.pid
                  FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
                 WHERE c.relnamespace = current_schema()::regnamespace AND l.pid <> pg_backend_pid()
                 ORDER BY l.pid
                """)) {
            while (rows.next()) {
                found.add(rows.getInt(1));
            }
        }
        return found;
    }

    /** Returns how many sessions were ended: 0 if the session had ended by itself. */
    private static int terminate(Statement statement, int session) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT pg_terminate_backend(" + session + ")")) {
            row.next();
            return row.getBoolean(1) ? 1 : 0;
        }
    }

    private void assertNothingLost(String what) throws Exception {
        History history = History.read(target);
        // No process was killed. Jobs in flight continue, and no job is reclaimed from its worker.
        HistoryCheck.Result result = HistoryCheck.of(history, storm.seen(0));
        System.out.printf(
                "%s: %d jobs, %d attempts, %d calls refused, %d unknown%n",
                what,
                history.jobs().size(),
                history.attempts().size(),
                storm.refused().size(),
                storm.unknown().size());
        assertThat(result.violations()).isEmpty();
        storm.logsAreWithout(" ERROR dev.windrow");
    }
}
