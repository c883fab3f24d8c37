package dev.windrow.tests.crash;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.WatchedCommits;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.testkit.ManualTime;
import dev.windrow.workflow.ParentPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.awaitility.Awaitility;

/**
 * Writes known transactions. After each acknowledged one it prints {@code state LENGTH DIGEST THREAD}: the length of the log, a digest of the tables,
 * and the thread that committed, {@code caller} or {@code writer}. Then it prints {@code done} and waits to be killed. Arguments: the database, the
 * number of transactions, the seed, and whether the log has older frames, which stand at {@link #OLDER} when the first of the transactions is written
 * over them.
 */
public final class TornLogWriter {
    /** All tables except the sums of attempts, which are written separately, and the registry of live workers. */
    private static final List<String> TABLES = List.of(
            "windrow_jobs",
            "windrow_payloads",
            "windrow_results",
            "windrow_tags",
            "windrow_attempts",
            "windrow_attempt_texts",
            "windrow_events",
            "windrow_edges",
            "windrow_steps",
            "windrow_counters",
            "windrow_retry_counters",
            "windrow_failures",
            "windrow_actors",
            "windrow_lanes",
            "windrow_ids");

    /** The end of the name of the copy of the log with the older frames. */
    static final String OLDER = "-older";

    static final int HEADER = 32;
    static final int FRAME = 24 + 4096;

    /** The thread of the last commit: the main thread or the writer's. */
    private static volatile Thread committer = Thread.currentThread();

    private TornLogWriter() {}

    public static void main(String[] args) throws Exception {
        Path db = Path.of(args[0]);
        SplittableRandom random = new SplittableRandom(Long.parseLong(args[2]));
        // The schema is in the file itself, and the log begins with the first transaction.
        new StoreDriver(SqliteStore.at(db), new ManualTime()).close();
        StoreDriver store = new StoreDriver(WatchedCommits.at(db, thread -> committer = thread), new ManualTime());
        List<ClaimedJob> held = new ArrayList<>();
        List<Long> jobs = new ArrayList<>();
        if (Boolean.parseBoolean(args[3])) {
            writeOlder(db, store, random, held, jobs, 2 * Integer.parseInt(args[1]));
        }
        Connection snapshot = DriverManager.getConnection("jdbc:sqlite:" + db);
        // A reader's early snapshot keeps SQLite from writing the log back and from restarting it.
        snapshot.createStatement().execute("BEGIN");
        snapshot.createStatement().executeQuery("SELECT count(*) FROM windrow_jobs");
        say(db);
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            write(store, random, held, jobs);
            say(db);
        }
        System.out.println("done");
        System.in.read();
        throw new IllegalStateException("the input ended before this process was killed");
    }

    /** Writes transactions, and makes SQLite begin again at the start of the log. */
    private static void writeOlder(
            Path db, StoreDriver store, SplittableRandom random, List<ClaimedJob> held, List<Long> jobs, int count)
            throws Exception {
        for (int i = 0; i < count; i++) {
            write(store, random, held, jobs);
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + db);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA wal_checkpoint(RESTART)")) {
            row.next();
            if (row.getInt(1) != 0) {
                throw new IllegalStateException("a reader keeps the log from being reset");
            }
        }
        Files.copy(log(db), db.resolveSibling(db.getFileName() + OLDER));
    }

    private static Path log(Path db) {
        return db.resolveSibling(db.getFileName() + "-wal");
    }

    /** Returns the end of the frames that belong to the header of the log. Older frames, which may follow, have another salt. */
    private static long length(Path db) throws IOException {
        byte[] log = Files.readAllBytes(log(db));
        byte[] older = Files.exists(db.resolveSibling(db.getFileName() + OLDER))
                ? Files.readAllBytes(db.resolveSibling(db.getFileName() + OLDER))
                : new byte[0];
        if (log.length == 0 || Arrays.equals(log, older)) {
            return 0;
        }
        int end = HEADER;
        while (end < log.length && Arrays.equals(log, 16, 24, log, end + 8, end + 16)) {
            end += FRAME;
        }
        return end;
    }

    /** Writes one transaction. */
    private static void write(StoreDriver store, SplittableRandom random, List<ClaimedJob> held, List<Long> jobs) {
        int kind = random.nextInt(10);
        if (kind >= 6 && !held.isEmpty()) {
            ClaimedJob job = held.remove(random.nextInt(held.size()));
            List<Transition> ends = List.of(Transition.COMPLETE, Transition.FAIL, Transition.HAND_BACK);
            if (!store.settle(job, ends.get(random.nextInt(ends.size())))) {
                throw new IllegalStateException("not settled: " + job);
            }
        } else if (kind < 4 || !held.addAll(claim(store, 1 + random.nextInt(3)))) {
            // A claim that finds no ready job writes nothing.
            List<NewRow> rows = new ArrayList<>();
            int count = 1 + random.nextInt(5);
            for (int i = 0; i < count; i++) {
                NewRow row = NewRow.of("q" + random.nextInt(3), "t" + random.nextInt(3))
                        .payload("\"" + "x".repeat(random.nextInt(9000)) + "\"")
                        .tags("a", "b" + random.nextInt(5));
                rows.add(
                        jobs.isEmpty() || random.nextBoolean()
                                ? row
                                : row.after(jobs.get(random.nextInt(jobs.size())), ParentPolicy.RUN));
            }
            jobs.addAll(store.enqueueAll(rows));
        }
        awaitSleep();
    }

    private static List<ClaimedJob> claim(StoreDriver store, int limit) {
        return store.claim(StoreDriver.request("w", Set.of("q0", "q1", "q2"), Set.of("t0", "t1", "t2"), limit))
                .jobs();
    }

    /** Waits until the thread of the last commit sleeps, if it is the writer's: only then can the next command be written on this thread. */
    private static void awaitSleep() {
        Thread thread = committer;
        if (thread != Thread.currentThread()) {
            Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(thread::getState, Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING)::contains);
        }
    }

    private static void say(Path db) throws Exception {
        // First the length: a commit of sums, which are not in the digest, may follow.
        long length = length(db);
        String thread = committer == Thread.currentThread() ? "caller" : "writer";
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + db)) {
            System.out.println("state " + length + " " + digest(connection) + " " + thread);
        }
    }

    /** Returns a digest of all rows. */
    static String digest(Connection connection) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (String table : TABLES) {
            for (String row : rows(connection, table)) {
                digest.update((table + row + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static List<String> rows(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM " + table + " ORDER BY 1, 2")) {
            List<String> found = new ArrayList<>();
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                StringBuilder row = new StringBuilder();
                for (int i = 1; i <= columns; i++) {
                    row.append('|').append(rows.getString(i));
                }
                found.add(row.toString());
            }
            found.sort(null);
            return found;
        }
    }
}
