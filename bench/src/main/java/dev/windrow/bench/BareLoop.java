package dev.windrow.bench;

import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The limit against which the engine is measured. One thread writes, in a loop and without an engine, every row that
 * the engine writes for a job that succeeds at once. The real migrations create its file, with the store's settings. It
 * uses the engine's own statements, each for as many rows, with foreign keys on. Each transaction settles the jobs that
 * the one before has claimed, inserts a thousand jobs and claims them. So one commit carries a thousand whole jobs.
 *
 * <p>It has no queues, threads, futures, codecs or handlers, and it does not recover from a failure. It omits the rows
 * that the engine writes once a second for any amount of work (the sums of a minute, the registry). A slow loop would
 * flatter the engine: treat it as a bug.
 */
final class BareLoop implements AutoCloseable {
    /** The number of jobs of a transaction. */
    static final int BATCH = 1000;

    /** The payloads of one statement. Those left at the end of a transaction have a statement each. */
    private static final int PAYLOADS = 32;

    private static final long LEASE_MILLIS = 30_000;
    private static final int MAX_ATTEMPTS = 3;
    private static final long FIRST_TOKEN = 1;
    private static final int LOWEST_PRIORITY = Short.MIN_VALUE;

    private final Connection connection;
    private final String payload;
    private final PreparedStatement begin;
    private final PreparedStatement commit;
    private final PreparedStatement takeIds;
    private final PreparedStatement insertJob;
    private final PreparedStatement insertPayload;
    private final PreparedStatement insertPayloads;
    private final PreparedStatement nextJobs;
    private final PreparedStatement claim;
    private final PreparedStatement notHeld;
    private final PreparedStatement settle;
    private final PreparedStatement addCounter;
    private final long lane;
    private final long actor;

    /** The next free id of this transaction, and the time of all its rows. */
    private long nextId;

    private long stamp;
    private long now;

    /** The jobs that the last transaction has claimed. */
    private final long[] ids = new long[BATCH];

    private final String[] payloads = new String[BATCH];
    private int held;

    /**
     * Prepares the statements.
     *
     * @param payload the JSON text of each job
     */
    private BareLoop(Connection connection, String payload) throws SQLException {
        this.connection = connection;
        this.payload = payload;
        begin = connection.prepareStatement(BareSql.BEGIN);
        commit = connection.prepareStatement(BareSql.COMMIT);
        takeIds = connection.prepareStatement(BareSql.TAKE_IDS);
        insertJob = connection.prepareStatement(ofEqual(BareSql.INSERT_JOB));
        insertPayload = connection.prepareStatement(BareSql.INSERT_PAYLOAD);
        insertPayloads = connection.prepareStatement(ofMany(BareSql.INSERT_PAYLOAD));
        nextJobs = connection.prepareStatement(BareSql.NEXT_JOBS);
        claim = connection.prepareStatement(BareSql.CLAIM);
        notHeld = connection.prepareStatement(BareSql.NOT_HELD);
        settle = connection.prepareStatement(BareSql.SETTLE_ALL_COMPLETED);
        addCounter = connection.prepareStatement(BareSql.ADD_COUNTER);
        lane = number(connection, List.of(BareSql.INSERT_LANE), Work.QUEUE, Work.NO_OP.name());
        actor = number(connection, List.of(BareSql.INSERT_ACTOR, BareSql.FIND_ACTOR), "bare-loop", "");
    }

    /** Returns a loop on a new file, which the store itself creates. */
    static BareLoop on(Path file, Durability durability, String payload) throws SQLException {
        makeStore(file);
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try {
            configure(connection, durability);
            return new BareLoop(connection, payload);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Creates a file with the schema, and closes it. */
    static void makeStore(Path file) {
        Windrow.open(SqliteStore.at(file)).close();
    }

    /** Sets the same pragmas as the store; {@code BareSqlTest} compares them. */
    static void configure(Connection connection, Durability durability) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("PRAGMA synchronous = " + durability);
            statement.execute("PRAGMA foreign_keys = ON");
            statement.execute("PRAGMA temp_store = MEMORY");
            statement.execute("PRAGMA cache_size = -65536");
            statement.execute("PRAGMA wal_autocheckpoint = 4000");
            statement.execute("PRAGMA journal_size_limit = 67108864");
        }
    }

    /** Returns the number of a name in one of the tables of names. */
    static long number(Connection connection, List<String> statements, String... names) throws SQLException {
        for (String sql : statements) {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < names.length; i++) {
                    statement.setString(i + 1, names[i]);
                }
                if (statement.execute()) {
                    try (ResultSet row = statement.getResultSet()) {
                        if (row.next()) {
                            return row.getLong(1);
                        }
                    }
                }
            }
        }
        throw new SQLException("a name is missing after its insert: " + String.join(", ", names));
    }

    /** Runs whole jobs in fused transactions. Returns jobs a second. */
    double fused(int jobs) throws SQLException {
        return measure(jobs, jobs);
    }

    /** Claims and settles jobs that were inserted before; their insertion does not count. Returns jobs a second. */
    double drain(int jobs) throws SQLException {
        for (int left = jobs; left > 0; left -= BATCH) {
            transaction(Math.min(BATCH, left), 0);
        }
        return measure(jobs, 0);
    }

    private double measure(int jobs, int toInsert) throws SQLException {
        long start = System.nanoTime();
        int settled = 0;
        int inserted = 0;
        while (settled < jobs) {
            int before = held;
            int inserting = Math.min(BATCH, toInsert - inserted);
            transaction(inserting, BATCH);
            settled += before;
            inserted += inserting;
            if (before == 0 && held == 0) {
                throw new BenchException(
                        "the bare loop found nothing to claim after %d of %d jobs".formatted(settled, jobs));
            }
        }
        return jobs / ((System.nanoTime() - start) / 1e9);
    }

    private void transaction(int inserting, int claiming) throws SQLException {
        begin.execute();
        now = TimeSource.system().now().toEpochMilli();
        int settled = held;
        settle();
        insert(inserting);
        claim(claiming);
        count("PENDING", inserting - held);
        count("RUNNING", held - settled);
        count("COMPLETED", settled);
        addCounter.executeBatch();
        commit.execute();
    }

    private void takeIds(int count) throws SQLException {
        takeIds.setLong(1, count);
        takeIds.setLong(2, now);
        takeIds.setLong(3, 0);
        try (ResultSet row = takeIds.executeQuery()) {
            if (!row.next()) {
                throw new SQLException("windrow_ids has no row");
            }
            nextId = row.getLong(1);
            stamp = row.getLong(2);
        }
    }

    private void settle() throws SQLException {
        if (held == 0) {
            return;
        }
        String jobs = array(ids, held);
        notHeld.setString(1, jobs);
        notHeld.setLong(2, FIRST_TOKEN);
        settle.setString(1, jobs);
        settle.setLong(2, FIRST_TOKEN);
        settle.setInt(3, 1);
        settle.setLong(4, now);
        settle.setLong(5, now);
        if (notHeld.executeQuery().next() || settle.executeUpdate() != held) {
            throw new BenchException("the bare loop lost a job that no other process could take");
        }
        held = 0;
    }

    private void insert(int count) throws SQLException {
        if (count == 0) {
            return;
        }
        takeIds(count);
        long first = nextId;
        nextId += count;
        long[] jobs = LongStream.range(first, first + count).toArray();
        insertJob.setString(1, array(jobs, count));
        insertJob.setLong(2, lane);
        insertJob.setString(3, "PENDING");
        insertJob.setInt(4, 0);
        insertJob.setLong(5, stamp);
        insertJob.setInt(6, MAX_ATTEMPTS);
        insertJob.setNull(7, Types.INTEGER);
        insertJob.setInt(8, 0);
        insertJob.setString(9, null);
        insertJob.setLong(10, now);
        insertJob.setLong(11, actor);
        insertJob.setString(12, null);
        insertJob.setString(13, null);
        insertJob.setString(14, null);
        insertJob.executeUpdate();
        int shared = count - count % PAYLOADS;
        insertPayloads(insertPayloads, PAYLOADS, jobs, 0, shared);
        insertPayloads(insertPayload, 1, jobs, shared, count);
    }

    /** Runs a statement of so many rows for some of the jobs. */
    private void insertPayloads(PreparedStatement insert, int rows, long[] jobs, int from, int to) throws SQLException {
        for (int i = from; i < to; i += rows) {
            for (int row = 0; row < rows; row++) {
                insert.setLong(2 * row + 1, jobs[i + row]);
                insert.setString(2 * row + 2, payload);
            }
            insert.executeUpdate();
        }
    }

    private void claim(int limit) throws SQLException {
        if (limit == 0) {
            return;
        }
        nextJobs.setString(1, "[" + lane + "]");
        nextJobs.setInt(2, limit);
        nextJobs.setInt(3, LOWEST_PRIORITY);
        try (ResultSet rows = nextJobs.executeQuery()) {
            while (rows.next()) {
                ids[held] = rows.getLong(1);
                payloads[held] = rows.getString(12);
                if (rows.getLong(2) != FIRST_TOKEN || !payload.equals(payloads[held])) {
                    throw new BenchException("the bare loop found a job that it had not written");
                }
                held++;
            }
        }
        claim.setString(1, array(ids, held));
        claim.setLong(2, actor);
        claim.setLong(3, now + LEASE_MILLIS);
        claim.setLong(4, now);
        if (claim.executeUpdate() != held) {
            throw new BenchException("the bare loop could not claim a job that it had found");
        }
    }

    private static String array(long[] numbers, int count) {
        StringBuilder json = new StringBuilder("[");
        for (int i = 0; i < count; i++) {
            json.append(i == 0 ? "" : ",").append(numbers[i]);
        }
        return json.append(']').toString();
    }

    /** Returns the engine's insert of {@link #PAYLOADS} rows with two values each. */
    static String ofMany(String insert) {
        return insert.replaceFirst("VALUES.*\\s*$", "VALUES " + "(?, ?), ".repeat(PAYLOADS - 1) + "(?, ?)");
    }

    /** Returns the engine's insert of rows that differ in their ids alone. */
    static String ofEqual(String insert) {
        return insert.replace("VALUES (?1", "SELECT value").replaceFirst("\\)\\s*$", " FROM json_each(?1)");
    }

    private void count(String state, int change) throws SQLException {
        if (change != 0) {
            addCounter.setLong(1, lane);
            addCounter.setString(2, state);
            addCounter.setLong(3, change);
            addCounter.addBatch();
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
