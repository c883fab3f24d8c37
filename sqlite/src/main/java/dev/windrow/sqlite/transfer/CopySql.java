package dev.windrow.sqlite.transfer;

import dev.windrow.store.transfer.CopyTable;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The statements of copies from store to store. The statements of the tables are built once, from the lists of columns in {@link CopyTable}. There
 * are a hundred of them, all alike, and a list that exists once cannot contradict another one.
 */
public final class CopySql {
    /** All rows of a table in the order of its key. By its primary key or unique index, so that nothing is sorted. */
    static final Map<CopyTable, String> READ = CopyTable.each(table -> read(table, false) + order(table));

    /** The rows of jobs that are COMPLETED, in the order of the key. Each job is looked up by its primary key. */
    static final Map<CopyTable, String> READ_FINISHED = CopyTable.each(table -> read(table, true) + order(table));

    /** The rows whose first key column is in a JSON array of numbers. By the primary key. Sorts all rows that it reads. */
    static final Map<CopyTable, String> READ_OF =
            CopyTable.eachOfJobs(table -> "%s %s t.%s IN (SELECT value FROM json_each(?1))%s"
                    .formatted(
                            read(table, false),
                            read(table, false).contains(" WHERE ") ? "AND" : "WHERE",
                            table.keys().get(0).name(),
                            order(table)));

    /** The number of rows that READ returns. Reads the smallest index of the table. */
    static final Map<CopyTable, String> COUNT = CopyTable.eachOfJobs(table -> "SELECT count(*)" + from(table, false));

    /** Deletes a row by its key. */
    static final Map<CopyTable, String> REMOVE = CopyTable.each(table -> "DELETE FROM windrow_%s WHERE %s"
            .formatted(
                    table.table(),
                    IntStream.range(0, table.keys().size())
                            .mapToObj(i -> table.keys().get(i).name() + " = ?" + (i + 1))
                            .collect(Collectors.joining(" AND "))));

    static final Map<CopyTable, String> ADD = CopyTable.each(table -> "INSERT INTO windrow_%s (%s) VALUES (%s)"
            .formatted(
                    table.table(),
                    String.join(", ", columns(table)),
                    String.join(", ", Collections.nCopies(columns(table).size(), "?"))));

    /** Deletes all rows of a table. */
    static final Map<CopyTable, String> CLEAR = CopyTable.each(table -> "DELETE FROM windrow_" + table.table());

    static final String REMOVE_PAYLOAD = "DELETE FROM windrow_payloads WHERE job_id = ?1";

    /** Deletes the chunks of a blob. By primary key. */
    static final String REMOVE_CHUNKS = "DELETE FROM windrow_blob_chunks WHERE blob_id = ?1";

    static final String ADD_PAYLOAD = "INSERT INTO windrow_payloads (job_id, payload) VALUES (?1, ?2)";

    static final String CLEAR_PAYLOADS = "DELETE FROM windrow_payloads";

    static final String CLEAR_WORKERS = "DELETE FROM windrow_workers";

    /** The next number and the last stamp. One row. */
    static final String NUMBERS = "SELECT next, last_stamp FROM windrow_ids WHERE one = 1";

    /** The number of jobs in each state of each lane, as one text. An enqueue takes a number; a claim and a completion only change these. */
    static final String COUNTS = """
            SELECT coalesce(group_concat(lane || state || n), '')
              FROM (SELECT lane, state, n FROM windrow_counters WHERE n <> 0 ORDER BY lane, state)
            """;

    /** Raises the numbers, so that numbers that the source has used are not used again. One row. */
    static final String RAISE_NUMBERS = """
            UPDATE windrow_ids SET next = max(next, ?1), last_stamp = max(last_stamp, ?2) WHERE one = 1
            """;

    /**
     * Renumbers the permits from 1, in their order. Another kind of store may have larger positions, and later permits must come after these. Reads
     * the table.
     */
    static final String NUMBER_PERMITS = """
            UPDATE windrow_permits SET position = t.place
              FROM (SELECT job_id, row_number() OVER (ORDER BY position) AS place FROM windrow_permits) t
             WHERE t.job_id = windrow_permits.job_id
            """;

    /** The workers that are alive, oldest first. Reads the table, which is small. */
    static final String ALIVE_WORKERS =
            "SELECT name FROM windrow_workers WHERE expires_at > ?1 ORDER BY started_at, name";

    /** True if the store has data that must not be overwritten. Reads the first row of each index. */
    static final String IS_USED = """
            SELECT EXISTS (SELECT 1 FROM windrow_jobs) OR EXISTS (SELECT 1 FROM windrow_schedules)
                OR EXISTS (SELECT 1 FROM windrow_dedupe) OR EXISTS (SELECT 1 FROM windrow_limits)
                OR EXISTS (SELECT 1 FROM windrow_audit)
            """;

    /** The tables of the queue with a row that refers to a missing row. Reads all its tables; other queues in the file, whose prefixes may begin with this one, may be in the middle of a copy. */
    static final String FOREIGN_KEYS = """
            SELECT c."table" FROM sqlite_schema t CROSS JOIN pragma_foreign_key_check(t.name) c
             WHERE t.type = 'table' AND t.name GLOB 'windrow_*'
               AND NOT EXISTS (SELECT 1 FROM sqlite_schema q
                                WHERE q.type = 'table' AND q.name GLOB 'windrow_?*schema'
                                  AND t.name GLOB substr(q.name, 1, length(q.name) - length('schema')) || '*')
            """;

    /** The text of the marker that closes the file for all processes, if it has one. By primary key. */
    public static final String READ_MOVED_MARKER = "SELECT name FROM windrow_schema WHERE version = 1000000";

    /** Sets the marker: from now on no code may use the file. */
    public static final String SET_MOVED_MARKER = """
            INSERT INTO windrow_schema (version, min_compatible, name, applied_at) VALUES (1000000, 1000000, ?1, ?2)
            """;

    static final String REMOVE_MOVED_MARKER = "DELETE FROM windrow_schema WHERE version >= 999999";

    /** Records that all rows that were copied until now were compared. The row has a version below the marker's, and is deleted with it. */
    static final String SET_COMPARED = """
            INSERT INTO windrow_schema (version, min_compatible, name, applied_at)
            VALUES (999999, 999999, 'what is copied is compared', 0) ON CONFLICT (version) DO NOTHING
            """;

    /** Deletes the record of the comparison. The number of deleted rows, one or none, shows if it existed. By primary key. */
    static final String REMOVE_COMPARED = "DELETE FROM windrow_schema WHERE version = 999999";

    /** The copy that has filled the file last, or fills it now. By primary key. This row concerns no version of the code. */
    static final String READ_FILLING = "SELECT name FROM windrow_schema WHERE version = 0";

    /** Records that this copy fills the file from now on. A process that had the file open before, or filled it, can write nothing more. */
    static final String SET_FILLING = """
            INSERT INTO windrow_schema (version, min_compatible, name, applied_at) VALUES (0, 0, ?1, ?2)
            ON CONFLICT (version) DO UPDATE SET name = excluded.name, applied_at = excluded.applied_at
            """;

    /** Triggers that make each write to a copied table fail from now on, in any process. */
    static final List<String> REFUSE_WRITING = triggers("""
            CREATE TRIGGER windrow_shut_%1$s_%2$s BEFORE %2$s ON windrow_%1$s
            BEGIN SELECT RAISE(ABORT, 'this queue is closed, it was moved to another store; windrow_schema says to which'); END
            """);

    static final List<String> ALLOW_WRITING = triggers("DROP TRIGGER IF EXISTS windrow_shut_%1$s_%2$s");

    private CopySql() {}

    /** Returns a trigger for each kind of write, for each copied table and for the allocator. */
    private static List<String> triggers(String statement) {
        return Stream.concat(Arrays.stream(CopyTable.values()).map(CopyTable::table), Stream.of("payloads", "ids"))
                .flatMap(table -> Stream.of("INSERT", "UPDATE", "DELETE").map(verb -> statement.formatted(table, verb)))
                .toList();
    }

    /** Returns the columns of a table, without the payload of a job, which is in a table of its own. */
    static List<String> columns(CopyTable table) {
        return table.columns().stream()
                .map(CopyTable.Column::name)
                .filter(name -> table != CopyTable.JOBS || !name.equals("payload"))
                .toList();
    }

    private static String read(CopyTable table, boolean finished) {
        String own = columns(table).stream().map(name -> "t." + name).collect(Collectors.joining(", "));
        return "SELECT " + own + (table == CopyTable.JOBS ? ", p.payload" : "") + from(table, finished);
    }

    private static String from(CopyTable table, boolean finished) {
        String from = " FROM windrow_%s t".formatted(table.table());
        return from
                + switch (table) {
                    case JOBS ->
                        " LEFT JOIN windrow_payloads p ON p.job_id = t.id"
                                + (finished ? " WHERE t.state = 'COMPLETED'" : "");
                    case BLOBS -> " WHERE t.job_id IS NOT NULL" + (finished ? " AND " + completed("t.job_id") : "");
                    case BLOB_CHUNKS ->
                        " WHERE EXISTS (SELECT 1 FROM windrow_blobs b WHERE b.id = t.blob_id AND b.job_id IS NOT NULL"
                                + (finished ? " AND " + completed("b.job_id") : "") + ")";
                    case COUNTERS, RETRY_COUNTERS -> " WHERE t.n <> 0";
                    default ->
                        finished && table.part() == CopyTable.Part.OF_JOBS ? " WHERE " + completed("t.job_id") : "";
                };
    }

    private static String order(CopyTable table) {
        return " ORDER BY "
                + table.keys().stream().map(key -> "t." + key.name()).collect(Collectors.joining(", "));
    }

    private static String completed(String job) {
        return "(SELECT j.state FROM windrow_jobs j WHERE j.id = %s) = 'COMPLETED'".formatted(job);
    }
}
