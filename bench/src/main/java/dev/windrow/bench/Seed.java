package dev.windrow.bench;

import dev.windrow.TimeSource;
import dev.windrow.sqlite.Durability;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Creates a SQLite file that looks like a queue after two months of work, for measurements at size or trials of an
 * operator's commands:
 *
 * <pre>java -cp cli/target/windrow.jar:bench/target/windrow-bench.jar dev.windrow.bench.Seed FILE [JOBS]</pre>
 *
 * <p>By default the file has ten million jobs, enqueued evenly over the last 60 days, of 20 types in 5 queues:
 * <ul>
 *   <li>95 % are {@code COMPLETED}, every twentieth at its second attempt.
 *   <li>2 % are {@code FAILED} at their third attempt, with stack traces, over 20 error codes of which a few are frequent.
 *   <li>1 % are {@code CANCELLED}.
 *   <li>Of the newest 4 %, one sixth each is {@code SCHEDULED}, {@code BLOCKED} by the job before it, and {@code PENDING}.
 * </ul>
 *
 * <p>All their rows exist, so that {@code doctor} finds no problem. The same number of jobs gives the same jobs, except
 * for the time.
 */
final class Seed {
    private static final int JOBS = 10_000_000;
    private static final int QUEUES = 5;
    private static final int TYPES = 20;
    /** The number of jobs of a transaction. */
    private static final int CHUNK = 100_000;
    /** The number of ids of each job: its own, and one for each event of three attempts. */
    private static final int STRIDE = 12;

    private static final long SPAN = Duration.ofDays(60).toMillis();
    /** The time between attempts. */
    private static final long PAUSE = Duration.ofMinutes(1).toMillis();

    private static final int BINS = 24;

    private static final String CHOSEN = """
            CREATE TEMP TABLE chosen (
              i INTEGER PRIMARY KEY, id INTEGER NOT NULL, lane INTEGER NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL,
              code TEXT, created INTEGER NOT NULL, wait INTEGER NOT NULL, run INTEGER NOT NULL)
            """;

    /**
     * Inserts the jobs from ?1 to ?2 (exclusive). The first id of all jobs is ?3, and the first lane is ?4. They were
     * enqueued from ?5 on over ?6, and ?7 is the number of all jobs. Their differences come from numbers to which i is
     * scattered.
     */
    private static final String CHOOSE = """
            WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2),
                 scattered (i, h, k) AS (SELECT i, (i * 2654435761 % 4294967296) >> 8, ((i * 40503 + 2531011) % 2147483648 * 2246822519 % 4294967296) >> 8 FROM n),
                 stated (i, h, k, state) AS (
                   SELECT i, h, k, CASE WHEN i >= ?7 - ?7 / 25 AND (i - (?7 - ?7 / 25)) % 6 < 3
                                        THEN CASE (i - (?7 - ?7 / 25)) % 6 WHEN 0 THEN 'SCHEDULED' WHEN 1 THEN 'BLOCKED' ELSE 'PENDING' END
                                        WHEN h % 980 < 950 THEN 'COMPLETED' WHEN h % 980 < 970 THEN 'FAILED' ELSE 'CANCELLED' END
                     FROM scattered)
            INSERT INTO chosen (i, id, lane, state, attempts, code, created, wait, run)
            SELECT i, ?3 + 12 * i, ?4 + min(k % 20, k / 32 % 20), state,
                   CASE state WHEN 'COMPLETED' THEN 1 + (h / 4096 % 20 = 7) WHEN 'FAILED' THEN 3 ELSE 0 END,
                   CASE WHEN state = 'FAILED' OR h / 4096 % 20 = 7
                        THEN 'REMOTE:' || char(65 + min(k / 64 % 20, k / 2048 % 20, k / 65536 % 20)) END,
                   ?5 + i * ?6 / ?7, 1 + (1 << (k / 16 % 14)) + k % 97, 1 + (1 << (h / 16 % 13)) + h % 89
              FROM stated
            """;

    private static final String ATTEMPT_NUMBERS = "(SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT 3)";

    /** Inserts the jobs with a pause of ?1 between attempts, by actor ?2, for worker ?3. */
    private static final String JOBS_SQL = """
            INSERT INTO windrow_jobs (id, lane, state, scheduled_at, token, used, max_attempts, claimed_at, started_at, created_at,
                                      created_by, finished_at, worker, error_code, open_parents, waiting_for)
            SELECT id, lane, state,
                   CASE state WHEN 'SCHEDULED' THEN created + 7776000000 ELSE created + max(attempts - 1, 0) * ?1 END,
                   CASE state WHEN 'CANCELLED' THEN 1 ELSE attempts END, attempts, 3,
                   CASE WHEN attempts > 0 THEN created + (attempts - 1) * ?1 + wait - 1 END,
                   CASE WHEN attempts > 0 THEN created + (attempts - 1) * ?1 + wait END, created, ?2,
                   CASE WHEN state = 'CANCELLED' THEN created + wait
                        WHEN attempts > 0 THEN created + (attempts - 1) * ?1 + wait + run END,
                   CASE state WHEN 'COMPLETED' THEN ?3 END,
                   CASE state WHEN 'FAILED' THEN code END, state = 'BLOCKED', CASE state WHEN 'BLOCKED' THEN 'PARENTS' END
              FROM chosen
            """;

    private static final String PAYLOADS = """
            INSERT INTO windrow_payloads (job_id, payload)
            SELECT id, '{"order":' || (i * 7919 % 1000003) || ',"customer":"C-' || (i % 99991) || '","items":[1,2,3]}' FROM chosen
            """;

    private static final String RESULTS = """
            INSERT INTO windrow_results (job_id, result)
            SELECT id, '{"done":true,"rows":' || (i % 1000) || '}' FROM chosen WHERE state = 'COMPLETED'
            """;

    private static final String ATTEMPTS = """
            INSERT INTO windrow_attempts (job_id, token, attempt, worker, claimed_at, started_at, finished_at, outcome, error_code,
                                          error_detail)
            SELECT id, a, a, ?2, created + (a - 1) * ?1 + wait - 1, created + (a - 1) * ?1 + wait, created + (a - 1) * ?1 + wait + run,
                   'FAILED', code, 'the other side did not answer'
              FROM chosen CROSS JOIN %s WHERE a <= attempts AND (state = 'FAILED' OR a < attempts)
            """.formatted(ATTEMPT_NUMBERS);

    private static final String STACK_TRACES = """
            INSERT INTO windrow_attempt_texts (job_id, token, kind, text)
            SELECT id, attempts, 'STACK_TRACE', 'java.io.IOException: the other side did not answer
            	at shop.Remote.call(Remote.java:' || (i % 500) || ')
            	at shop.Orders.handle(Orders.java:71)
            	at dev.windrow.engine.worker.Execution.run(Execution.java:101)'
              FROM chosen WHERE state = 'FAILED'
            """;

    private static final String CANCELLED = """
            INSERT INTO windrow_events (job_id, seq, at, event, actor, token)
            SELECT id, id + 2, created + wait, 'CANCELLED', ?1, 0 FROM chosen WHERE state = 'CANCELLED'
            """;

    private static final String EVENTS = """
            INSERT INTO windrow_events (job_id, seq, at, event, actor, token, detail)
            SELECT id, id + 3 * a + 1, created + (a - 1) * ?1 + wait + run,
                   CASE WHEN a < attempts THEN 'RETRY_SCHEDULED' ELSE 'FAILED' END, ?2, a, json_object('errorCode', code)
              FROM chosen CROSS JOIN %s WHERE a <= attempts AND (state = 'FAILED' OR a < attempts)
            """.formatted(ATTEMPT_NUMBERS);

    private static final String EDGES = """
            INSERT INTO windrow_edges (child, position, parent, policy, satisfied)
            SELECT id, 0, id - 12, 'WAIT', 0 FROM chosen WHERE state = 'BLOCKED'
            """;

    private static final String COUNTERS = """
            INSERT INTO windrow_counters (lane, state, n) SELECT lane, state, count(*) FROM chosen WHERE true GROUP BY lane, state
            ON CONFLICT (lane, state) DO UPDATE SET n = n + excluded.n
            """;

    private static final String FAILURES = """
            INSERT INTO windrow_failures (error_code, n, first_at, last_at)
            SELECT code, count(*), min(created + 2 * ?1 + wait + run), max(created + 2 * ?1 + wait + run)
              FROM chosen WHERE state = 'FAILED' GROUP BY code
            ON CONFLICT (error_code) DO UPDATE
               SET n = n + excluded.n, first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)
            """;

    private static final String RETRIES = """
            INSERT INTO windrow_retry_counters (lane, attempt, n)
            SELECT lane, a, count(*) FROM chosen CROSS JOIN %s WHERE a > 1 AND a <= attempts GROUP BY lane, a
            ON CONFLICT (lane, attempt) DO UPDATE SET n = n + excluded.n
            """.formatted(ATTEMPT_NUMBERS);

    private static final String ENDED = """
            SELECT (created + (a - 1) * ?1 + wait + run) / 60000, lane, wait, run, state = 'COMPLETED' AND a = attempts
              FROM chosen CROSS JOIN %s WHERE a <= attempts
            """.formatted(ATTEMPT_NUMBERS);

    private static final String SUMS = """
            INSERT INTO windrow_throughput (length, minute, lane, succeeded, failed, wait_ms, run_ms, wait_bins, run_bins,
                                            wait_max, run_max)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """;

    private static final String TAKE_IDS = """
            UPDATE windrow_ids SET next = next + ?1, last_stamp = max(last_stamp, ?2) WHERE one = 1
            """;

    /** A period of a lane: its length and its first minute. */
    private record Period(int length, long minute, long lane) {}

    private static final class Sums {
        private final long[] totals = new long[4];
        private long waitMax;
        private long runMax;
        private final int[] waitBins = new int[BINS];
        private final int[] runBins = new int[BINS];

        void add(long wait, long run, boolean succeeded) {
            totals[succeeded ? 0 : 1]++;
            totals[2] += wait;
            totals[3] += run;
            waitMax = Math.max(waitMax, wait);
            runMax = Math.max(runMax, run);
            waitBins[bin(wait)]++;
            runBins[bin(run)]++;
        }
    }

    private final Connection connection;
    private final int jobs;
    private final long from;
    private final Map<Period, Sums> periods = new HashMap<>();

    private Seed(Connection connection, int jobs, long from) {
        this.connection = connection;
        this.jobs = jobs;
        this.from = from;
    }

    public static void main(String[] args) throws SQLException {
        PrintStream out = System.out;
        if (args.length < 1 || args.length > 2) {
            throw new IllegalArgumentException("arguments FILE [JOBS] are needed");
        }
        int jobs = args.length == 1 ? JOBS : Integer.parseInt(args[1]);
        long start = System.nanoTime();
        seed(Path.of(args[0]), jobs);
        out.printf("%,d jobs in %,d s%n", jobs, (System.nanoTime() - start) / 1_000_000_000L);
    }

    /**
     * Creates the file.
     *
     * @param file a path that does not exist
     * @param jobs the number of jobs, from 100
     */
    static void seed(Path file, int jobs) throws SQLException {
        if (Files.exists(file)) {
            throw new IllegalArgumentException(file + " exists already");
        }
        if (jobs < 100) {
            throw new IllegalArgumentException("jobs must be at least 100, not " + jobs);
        }
        BareLoop.makeStore(file);
        long now = TimeSource.system().now().toEpochMilli();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            BareLoop.configure(connection, Durability.NORMAL);
            try (Statement statement = connection.createStatement()) {
                // The file is useless if this fails, so it needs no durability.
                statement.execute("PRAGMA foreign_keys = OFF");
                statement.execute("PRAGMA synchronous = OFF");
                statement.execute("PRAGMA cache_size = -1048576");
                statement.execute("PRAGMA wal_autocheckpoint = 50000");
                statement.execute(CHOSEN);
            }
            connection.setAutoCommit(false);
            // The last attempts of the newest jobs have ended by now.
            new Seed(connection, jobs, now - SPAN - 3 * PAUSE).fill(now);
            connection.commit();
            connection.setAutoCommit(true);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
            }
        }
    }

    private void fill(long now) throws SQLException {
        long lane = 0;
        for (int type = TYPES - 1; type >= 0; type--) {
            lane = BareLoop.number(
                    connection,
                    List.of(BareSql.INSERT_LANE),
                    "queue-" + (char) ('a' + type % QUEUES),
                    "type-" + (char) ('a' + type));
        }
        long firstLane = lane - TYPES + 1;
        long worker = BareLoop.number(connection, List.of(BareSql.INSERT_ACTOR, BareSql.FIND_ACTOR), "worker-1", "");
        long operator = BareLoop.number(connection, List.of(BareSql.INSERT_ACTOR, BareSql.FIND_ACTOR), "operator", "");
        long firstId;
        try (Statement statement = connection.createStatement()) {
            firstId = Audit.number(statement, "SELECT next FROM windrow_ids");
        }
        run(TAKE_IDS, (long) STRIDE * jobs, now);
        for (int first = 0; first < jobs; first += CHUNK) {
            int end = Math.min(jobs, first + CHUNK);
            run(CHOOSE, first, end, firstId, firstLane, from, SPAN, jobs);
            run(JOBS_SQL, PAUSE, operator, worker);
            run(PAYLOADS);
            run(RESULTS);
            run(ATTEMPTS, PAUSE, worker);
            run(STACK_TRACES);
            run(CANCELLED, operator);
            run(EVENTS, PAUSE, worker);
            run(EDGES);
            run(COUNTERS);
            run(FAILURES, PAUSE);
            run(RETRIES);
            count();
            write((from + first * SPAN / jobs) / 60_000);
            run("DELETE FROM chosen");
            connection.commit();
        }
        write(Long.MAX_VALUE);
    }

    /** Adds the attempts of this batch to their minutes and hours. */
    private void count() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ENDED)) {
            statement.setLong(1, PAUSE);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    long minute = rows.getLong(1);
                    for (int length : new int[] {1, 60}) {
                        periods.computeIfAbsent(
                                        new Period(length, minute - minute % length, rows.getLong(2)),
                                        key -> new Sums())
                                .add(rows.getLong(3), rows.getLong(4), rows.getBoolean(5));
                    }
                }
            }
        }
    }

    private static int bin(long millis) {
        return Math.min(BINS - 1, Long.SIZE - Long.numberOfLeadingZeros(millis));
    }

    /** Writes the minutes and hours that end before this minute, which will not change any more. */
    private void write(long before) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SUMS)) {
            Iterator<Map.Entry<Period, Sums>> entries = periods.entrySet().iterator();
            while (entries.hasNext()) {
                Map.Entry<Period, Sums> entry = entries.next();
                Period period = entry.getKey();
                if (period.minute > before - period.length) {
                    continue;
                }
                statement.setInt(1, period.length);
                statement.setLong(2, period.minute);
                statement.setLong(3, period.lane);
                for (int i = 0; i < 4; i++) {
                    statement.setLong(4 + i, entry.getValue().totals[i]);
                }
                statement.setString(8, text(entry.getValue().waitBins));
                statement.setString(9, text(entry.getValue().runBins));
                statement.setLong(10, entry.getValue().waitMax);
                statement.setLong(11, entry.getValue().runMax);
                statement.addBatch();
                entries.remove();
            }
            statement.executeBatch();
        }
    }

    private static String text(int[] bins) {
        return Arrays.stream(bins).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"));
    }

    private void run(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }
}
