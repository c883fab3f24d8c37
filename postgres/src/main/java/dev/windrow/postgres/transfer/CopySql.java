package dev.windrow.postgres.transfer;

import dev.windrow.store.transfer.CopyTable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The statements of copies from store to store. The statements of the tables are built once from the lists of columns in {@link CopyTable}. There are
 * a hundred of them in the same form, and with one list they cannot contradict each other.
 */
public final class CopySql {
    /** The columns of a job that are in its second row. */
    private static final Set<String> OF_INPUTS = Set.of(
            "created_at",
            "created_by",
            "timeout_ms",
            "chain_id",
            "chain_index",
            "name",
            "retry_policy",
            "traceparent",
            "dedupe_key",
            "dedupe_scope",
            "dedupe_type",
            "workflow_id",
            "payload");

    /** All rows of a table in the order of its key. By its primary key, so that nothing is sorted. */
    static final Map<CopyTable, String> READ = CopyTable.each(table -> read(table, false) + order(table));

    /** All rows of COMPLETED jobs in a table, in the order of its key. Each job is looked up by its primary key. */
    static final Map<CopyTable, String> READ_FINISHED = CopyTable.each(table -> read(table, true) + order(table));

    /** The rows whose first key column is in an array of numbers. By the primary key. Sorts as many rows as it reads. */
    static final Map<CopyTable, String> READ_OF = CopyTable.eachOfJobs(table -> "%s %s t.%s = ANY ($1)%s"
            .formatted(
                    read(table, false),
                    read(table, false).contains(" WHERE ") ? "AND" : "WHERE",
                    table.keys().get(0).name(),
                    order(table)));

    /** The number of rows that READ returns. Reads the table, or an index. */
    static final Map<CopyTable, String> COUNT = CopyTable.eachOfJobs(table -> "SELECT count(*)" + from(table, false));

    /** Deletes a row by its key. */
    static final Map<CopyTable, String> REMOVE = CopyTable.each(table -> "DELETE FROM windrow_%s WHERE %s"
            .formatted(
                    table.table(),
                    IntStream.range(0, table.keys().size())
                            .mapToObj(i -> table.keys().get(i).name() + " = $" + (i + 1))
                            .collect(Collectors.joining(" AND "))));

    static final Map<CopyTable, String> ADD = CopyTable.each(table -> "COPY windrow_%s (%s) FROM STDIN"
            .formatted(
                    table.table(),
                    columns(table).stream().map(CopyTable.Column::name).collect(Collectors.joining(", "))));

    /** Deletes all rows of a table. */
    static final Map<CopyTable, String> CLEAR = CopyTable.each(table -> "DELETE FROM windrow_" + table.table());

    static final String REMOVE_INPUT = "DELETE FROM windrow_inputs WHERE job_id = $1";

    /** Deletes the parts of a blob. By primary key. */
    static final String REMOVE_CHUNKS = "DELETE FROM windrow_blob_chunks WHERE blob_id = $1";

    /** Writes the second rows of jobs. */
    static final String ADD_INPUTS = "COPY windrow_inputs (job_id, lane, %s) FROM STDIN"
            .formatted(inputs().stream().map(CopyTable.Column::name).collect(Collectors.joining(", ")));

    static final String CLEAR_INPUTS = "DELETE FROM windrow_inputs";

    static final String CLEAR_DELTAS = "DELETE FROM windrow_counter_deltas";

    static final String CLEAR_FAILURE_DELTAS = "DELETE FROM windrow_failure_deltas";

    static final String CLEAR_WORKERS = "DELETE FROM windrow_workers";

    /**
     * Settings of a transaction that reads. They make the server read entries in the order of an index. A sort of the whole table would be on disk.
     */
    static final String READ_IN_ORDER = """
            SELECT set_config('enable_sort', 'off', true), set_config('enable_hashjoin', 'off', true),
                   set_config('max_parallel_workers_per_gather', '0', true)
            """;

    /** A setting of a transaction that writes. Its commit need not be on disk before the last one is. */
    static final String COMMIT_LATER = "SELECT set_config('synchronous_commit', 'off', true)";

    static final String COMMIT_NOW = "SELECT set_config('synchronous_commit', 'on', true)";

    /** A number above every number that was assigned. One row. */
    static final String NEXT_NUMBER = """
            SELECT greatest(
                     (SELECT last_value + 100 FROM windrow_ids),
                     coalesce(pg_sequence_last_value(pg_get_serial_sequence('windrow_events', 'seq')::regclass), 0) + 1,
                     coalesce(pg_sequence_last_value(pg_get_serial_sequence('windrow_blobs', 'id')::regclass), 0) + 1)
            """;

    /** The last scheduled time among ready jobs. Reads the table, once for each copy. */
    static final String LAST_STAMP = """
            SELECT coalesce(max(scheduled_at), 0) FROM windrow_jobs WHERE state = 'PENDING'
            """;

    /** The number of jobs in each state of each lane, as one text. Each new job, claim and end of a job changes it. Reads the counters. */
    static final String COUNTS = """
            SELECT coalesce(string_agg(lane || state || n, ',' ORDER BY lane, state), '')
              FROM (SELECT lane, state, sum(n) AS n
                      FROM (SELECT lane, state, n FROM windrow_counters
                             UNION ALL SELECT lane, state, n FROM windrow_counter_deltas WHERE state IS NOT NULL) c
                     GROUP BY lane, state HAVING sum(n) <> 0) s
            """;

    /** The last assigned number of an event. Each change of a job by other than a claim, a start or a completion takes one. One row. */
    static final String LAST_EVENT = """
            SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('windrow_events', 'seq')::regclass), 0)
            """;

    /** 1 if a transaction is writing jobs now. One row. */
    static final String IS_BEING_WRITTEN = """
            SELECT EXISTS (SELECT 1 FROM pg_locks
                            WHERE relation = 'windrow_jobs'::regclass AND mode = 'RowExclusiveLock'
                              AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))::integer
            """;

    /** Raises the sequences above the numbers that the source has assigned and the numbers in use. */
    static final String RAISE_NUMBERS = """
            SELECT setval('windrow_ids', greatest($1::bigint, (SELECT last_value + 100 FROM windrow_ids))),
                   setval(pg_get_serial_sequence('windrow_events', 'seq')::regclass, greatest($1::bigint,
                     pg_sequence_last_value(pg_get_serial_sequence('windrow_events', 'seq')::regclass))),
                   setval(pg_get_serial_sequence('windrow_blobs', 'id')::regclass, greatest($1::bigint,
                     pg_sequence_last_value(pg_get_serial_sequence('windrow_blobs', 'id')::regclass))),
                   setval(pg_get_serial_sequence('windrow_audit', 'id')::regclass, greatest(1,
                     pg_sequence_last_value(pg_get_serial_sequence('windrow_audit', 'id')::regclass),
                     (SELECT max(id) FROM windrow_audit))),
                   setval(pg_get_serial_sequence('windrow_lanes', 'id')::regclass, greatest(1,
                     pg_sequence_last_value(pg_get_serial_sequence('windrow_lanes', 'id')::regclass),
                     (SELECT max(id) FROM windrow_lanes))),
                   setval(pg_get_serial_sequence('windrow_actors', 'id')::regclass, greatest(1,
                     pg_sequence_last_value(pg_get_serial_sequence('windrow_actors', 'id')::regclass),
                     (SELECT max(id) FROM windrow_actors))),
                   setval('windrow_permit_numbers', greatest((SELECT last_value FROM windrow_permit_numbers),
                     (SELECT max(position) FROM windrow_permits)))
            """;

    /** The live workers, oldest first. Reads the table, which is small. */
    static final String ALIVE_WORKERS =
            "SELECT name FROM windrow_workers WHERE expires_at > $1 ORDER BY started_at, name";

    /** Waits for transactions that write jobs, and keeps others from writing them. */
    static final String LOCK = "LOCK TABLE windrow_jobs IN SHARE ROW EXCLUSIVE MODE";

    /** Waits for all transactions that may write and have passed the schema guard, and keeps others from passing it. */
    static final String LOCK_SCHEMA = "LOCK TABLE windrow_schema IN ACCESS EXCLUSIVE MODE";

    /** Gives the store a new identity. A process that had it open before, or filled it, can write nothing any more. By primary key. */
    static final String CHANGE_IDENTITY = """
            UPDATE windrow_schema SET store = gen_random_uuid() WHERE version = 1 RETURNING store::text
            """;

    /** The identity of the store. By primary key. */
    static final String READ_IDENTITY = "SELECT store::text FROM windrow_schema WHERE version = 1";

    static final String BOUND_WAITS = "SELECT set_config('lock_timeout', '10s', true)";

    /** 1 if there are rows that must not be overwritten. Reads the first row of each table. */
    static final String IS_USED = """
            SELECT (EXISTS (SELECT 1 FROM windrow_jobs) OR EXISTS (SELECT 1 FROM windrow_schedules)
                 OR EXISTS (SELECT 1 FROM windrow_dedupe) OR EXISTS (SELECT 1 FROM windrow_limits)
                 OR EXISTS (SELECT 1 FROM windrow_audit))::integer
            """;

    /** Updates the statistics of the planner at once, without a wait for autovacuum. */
    static final Map<CopyTable, String> ANALYZE = CopyTable.each(table -> "ANALYZE windrow_" + table.table());

    static final String ANALYZE_INPUTS = "ANALYZE windrow_inputs";

    /** The moved marker, which tells why no process may use the tables, if there is one. By primary key. */
    public static final String READ_MOVED_MARKER = "SELECT name FROM windrow_schema WHERE version = 1000000";

    /** Sets the moved marker. From then on no code may use the tables. */
    public static final String SET_MOVED_MARKER = """
            INSERT INTO windrow_schema (version, min_compatible, name, applied_at)
            VALUES (1000000, 1000000, $1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
            """;

    static final String REMOVE_MOVED_MARKER = "DELETE FROM windrow_schema WHERE version >= 999999";

    /** Records that all rows that are copied so far were compared. The row has a lower version than the marker, and is deleted with it. */
    static final String SET_COMPARED = """
            INSERT INTO windrow_schema (version, min_compatible, name, applied_at)
            VALUES (999999, 999999, 'what is copied is compared', 0) ON CONFLICT (version) DO NOTHING
            """;

    /** Deletes the record of a comparison: one row, or none. By primary key. */
    static final String REMOVE_COMPARED = "DELETE FROM windrow_schema WHERE version = 999999";

    static final String VERSION_BEHIND_MARKER = "SELECT max(version) FROM windrow_schema WHERE version < 999999";

    static final String REFUSAL = """
            CREATE FUNCTION windrow_shut() RETURNS trigger LANGUAGE plpgsql AS $body$
            BEGIN
              RAISE EXCEPTION 'this queue is closed, it was moved to another store; the table of migrations says to which';
            END $body$
            """;

    /** Makes each write of a copied table fail. Waits for transactions that are writing. */
    static final List<String> REFUSE_WRITING = Stream.concat(
                    Arrays.stream(CopyTable.values()).map(CopyTable::table), Stream.of("inputs"))
            .map(
                    "CREATE TRIGGER shut BEFORE INSERT OR UPDATE OR DELETE ON windrow_%s FOR EACH STATEMENT EXECUTE FUNCTION windrow_shut()"
                            ::formatted)
            .toList();

    /** Allows writing again: drops the function, and with it its triggers. */
    static final String ALLOW_WRITING = "DROP FUNCTION IF EXISTS windrow_shut() CASCADE";

    private CopySql() {}

    /** Returns the columns of the table itself, without the columns of a job that are in its second row. */
    static List<CopyTable.Column> columns(CopyTable table) {
        return table.columns().stream()
                .filter(column -> table != CopyTable.JOBS || !OF_INPUTS.contains(column.name()))
                .toList();
    }

    /** Returns the columns of a job that are in its second row, except for its id and lane. */
    static List<CopyTable.Column> inputs() {
        return CopyTable.JOBS.columns().stream()
                .filter(column -> OF_INPUTS.contains(column.name()))
                .toList();
    }

    private static String read(CopyTable table, boolean finished) {
        String columns = table.columns().stream()
                .map(column -> value(
                        (table == CopyTable.JOBS && OF_INPUTS.contains(column.name()) ? "i." : "t.") + column.name(),
                        column))
                .collect(Collectors.joining(", "));
        return switch (table) {
            case FAILURES ->
                "SELECT t.error_code, t.n, t.first_at, t.last_at FROM ("
                        + "SELECT c.error_code, sum(c.n)::bigint AS n, min(c.first_at) AS first_at, max(c.last_at) AS last_at FROM ("
                        + "SELECT error_code, n, first_at, last_at FROM windrow_failures UNION ALL "
                        + "SELECT error_code, n, first_at, last_at FROM windrow_failure_deltas) c GROUP BY c.error_code) t";
            case COUNTERS -> sums("counters", "state");
            case RETRY_COUNTERS -> sums("retry_counters", "attempt");
            default -> "SELECT " + columns + from(table, finished);
        };
    }

    /** Returns the FROM clause of a table whose rows are copied unchanged. */
    private static String from(CopyTable table, boolean finished) {
        String from = " FROM windrow_%s t".formatted(table.table());
        return from
                + switch (table) {
                    case JOBS ->
                        " JOIN windrow_inputs i ON i.job_id = t.id" + (finished ? " WHERE t.state = 'COMPLETED'" : "");
                    case BLOBS -> " WHERE t.job_id IS NOT NULL" + (finished ? " AND " + completed("t.job_id") : "");
                    case BLOB_CHUNKS ->
                        " WHERE (SELECT b.job_id IS NOT NULL%s FROM windrow_blobs b WHERE b.id = t.blob_id)"
                                .formatted(finished ? " AND " + completed("b.job_id") : "");
                    default ->
                        finished && table.part() == CopyTable.Part.OF_JOBS ? " WHERE " + completed("t.job_id") : "";
                };
    }

    private static String order(CopyTable table) {
        return " ORDER BY "
                + table.keys().stream().map(key -> "t." + key.name()).collect(Collectors.joining(", "));
    }

    /** Returns the query of compacted rows and later deltas. */
    private static String sums(String table, String what) {
        return "SELECT t.lane, t.%s, t.n FROM (SELECT c.lane, c.%s, sum(c.n)::bigint AS n FROM (".formatted(what, what)
                + "SELECT lane, %s, n FROM windrow_%s UNION ALL SELECT lane, %s, n FROM windrow_counter_deltas WHERE %s IS NOT NULL"
                        .formatted(what, table, what, what)
                + ") c GROUP BY c.lane, c.%s HAVING sum(c.n) <> 0) t".formatted(what);
    }

    private static String value(String column, CopyTable.Column of) {
        return switch (of.kind()) {
            case FLAG -> column + "::integer";
            case NUMBERS -> "to_json(" + column + ")::text";
            default -> column;
        };
    }

    private static String completed(String job) {
        return "(SELECT j.state FROM windrow_jobs j WHERE j.id = %s) = 'COMPLETED'".formatted(job);
    }
}
