package dev.windrow.store.transfer;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a queue that are copied from store to store, in the order in which they are written. They have the columns that both kinds of store
 * have. Each store has its own code to read and write them. One table here may be two tables there.
 *
 * <p>Numbers and flags (0 or 1) are {@link Long}, fractions {@link Double}, texts {@link String}, bytes {@code byte[]}. Each may be null.
 */
@SuppressWarnings("ImmutableEnumChecker") // Stream.toList is immutable; its type does not say so.
public enum CopyTable {
    /** Names of workers and operators, and the instances that distinguish workers of one name. */
    ACTORS(Part.ALWAYS, keys(numbers("id")), texts("name", "instance")),
    /** Pairs of queue and type. */
    LANES(
            Part.ALWAYS,
            keys(numbers("id")),
            numbers("paused_at", "paused_by"),
            flags("limited"),
            texts("queue", "type", "pause_reason")),
    /** Jobs with their payloads. */
    JOBS(
            Part.OF_JOBS,
            keys(numbers("id")),
            numbers("lane", "priority", "scheduled_at", "token", "used", "max_attempts", "timeout_ms", "worker"),
            numbers("lease_until", "claimed_at", "started_at", "cancel_requested", "open_parents", "wake_at"),
            numbers(
                    "wait_ms",
                    "created_at",
                    "created_by",
                    "finished_at",
                    "chain_id",
                    "chain_index",
                    "concurrency_limit"),
            numbers("workflow_id", "run"),
            flags("waits_for_permit"),
            texts("state", "waiting_for", "wake_state", "error_code", "error_detail", "name", "retry_policy"),
            texts("traceparent", "dedupe_key", "dedupe_scope", "dedupe_type", "concurrency_key", "payload")),
    /** Results of jobs. */
    RESULTS(Part.OF_JOBS, keys(numbers("job_id")), texts("result")),
    /** Tags of jobs. */
    TAGS(Part.OF_JOBS, keys(numbers("job_id"), texts("tag"))),
    /** Ended attempts. */
    ATTEMPTS(
            Part.OF_JOBS,
            keys(numbers("job_id", "token")),
            numbers("attempt", "run", "worker", "claimed_at", "started_at", "finished_at"),
            texts("outcome", "error_code", "error_detail")),
    /** The texts of attempts that are too long for their rows. */
    ATTEMPT_TEXTS(Part.OF_JOBS, keys(numbers("job_id", "token"), texts("kind")), texts("text")),
    /** The log of events. */
    EVENTS(Part.OF_JOBS, keys(numbers("job_id", "seq")), numbers("at", "actor", "token"), texts("event", "detail")),
    /** Durable steps, sleeps and awaited events. */
    STEPS(
            Part.OF_JOBS,
            keys(numbers("job_id"), texts("name")),
            numbers("position", "token", "started_at", "finished_at", "until_at", "actor"),
            texts("kind", "state", "result")),
    /** The progress of running jobs. */
    PROGRESS(Part.OF_JOBS, keys(numbers("job_id")), numbers("token", "at"), fractions("fraction"), texts("message")),
    /** The log lines of handlers. */
    LOG_LINES(Part.OF_JOBS, keys(numbers("job_id", "seq")), numbers("at", "token"), texts("level", "message")),
    /** Long payloads and results, without blobs that no job has adopted. */
    BLOBS(Part.OF_JOBS, keys(numbers("id")), numbers("job_id", "bytes", "created_at"), texts("kind", "sha256", "file")),
    /** Their parts. */
    BLOB_CHUNKS(Part.OF_JOBS, keys(numbers("blob_id", "position")), bytes("content")),
    /** The edges from parents to children. An edge may change long after its child has ended. */
    EDGES(
            Part.AT_THE_END,
            keys(numbers("child", "position")),
            numbers("parent"),
            flags("satisfied", "chain", "cancelled"),
            texts("policy")),
    /** Metadata of jobs. They may change long after a job has ended. */
    METADATA(Part.AT_THE_END, keys(numbers("job_id")), texts("metadata")),
    /** Parents with children that are not released yet. */
    RELEASES(Part.AT_THE_END, keys(numbers("parent"), texts("state")), numbers("after", "actor"), texts("reason")),
    /** The holders of dedupe keys. */
    DEDUPE(Part.AT_THE_END, keys(texts("type", "key")), numbers("job_id", "expires_at"), texts("scope")),
    /** The pauses and limits of queues, types and keys. */
    LIMITS(
            Part.AT_THE_END,
            keys(texts("kind", "name")),
            numbers("paused_at", "paused_by", "max_running", "rate_count", "rate_millis", "rate_burst", "next_start"),
            numbers("wakes_at"),
            texts("pause_reason")),
    /** The permits of concurrency keys, and the jobs that wait for one. */
    PERMITS(
            Part.AT_THE_END,
            keys(numbers("job_id")),
            texts("key"),
            numbers("priority", "position", "concurrency_limit"),
            flags("granted")),
    /** The rules of retention. */
    RETENTION(Part.AT_THE_END, keys(texts("state", "type")), numbers("keep_ms")),
    /** Schedules. */
    SCHEDULES(
            Part.AT_THE_END,
            keys(numbers("id")),
            numbers("priority", "max_attempts", "timeout_ms", "concurrency_limit", "every_ms", "starts_at"),
            numbers("paused_at", "paused_by", "next_at", "last_at", "fired_at", "last_job", "revision", "created_at"),
            numbers("created_by", "changed_at"),
            texts("name", "queue", "type", "payload", "job_name", "retry_policy", "tags", "concurrency_key", "cron"),
            texts("metadata", "zone", "misfire", "overlap", "pause_reason")),
    /** The outcomes of their due times. */
    SCHEDULE_RUNS(
            Part.AT_THE_END,
            keys(numbers("schedule_id", "due_at")),
            numbers("until_at", "runs", "fired_at", "job_id"),
            texts("outcome")),
    /** The number of jobs of a lane in a state, without rows whose number is 0. */
    COUNTERS(Part.AT_THE_END, keys(numbers("lane"), texts("state")), numbers("n")),
    /** The number of ended attempts by attempt number, without rows whose number is 0. */
    RETRY_COUNTERS(Part.AT_THE_END, keys(numbers("lane", "attempt")), numbers("n")),
    /** The sums of failed jobs by code. */
    FAILURES(Part.AT_THE_END, keys(texts("error_code")), numbers("n", "first_at", "last_at")),
    /** The sums of each minute and hour. Only the newest ones change. */
    THROUGHPUT(
            Part.ALWAYS,
            keys(numbers("length", "minute", "lane")),
            numbers("succeeded", "failed", "wait_ms", "run_ms", "wait_max", "run_max"),
            arrays("wait_bins", "run_bins")),
    /** The audit of changes. */
    AUDIT(Part.AT_THE_END, keys(numbers("id")), numbers("at", "actor", "jobs"), texts("action", "reason", "detail")),
    /** The jobs of its entries. */
    AUDIT_JOBS(Part.AT_THE_END, keys(numbers("audit_id", "job_id")), texts("state_before", "state_after"));

    /** The stage of a copy in which a table is copied. */
    public enum Part {
        /** Copied whole, each time: rows to which jobs refer, and rows that hardly change. */
        ALWAYS,
        /** Copied with jobs: the rows belong to jobs, and do not change once the jobs are completed. */
        OF_JOBS,
        /** Copied only together with all jobs. */
        AT_THE_END
    }

    /** The kind of a column. */
    public enum Kind {
        /** {@link Long}. */
        NUMBER,
        /** {@link Long}, 0 or 1. */
        FLAG,
        /** {@link Double}. */
        FRACTION,
        /** {@link String}. */
        TEXT,
        /** Whole numbers as a JSON array in a {@link String}. */
        NUMBERS,
        /** {@code byte[]}. */
        BYTES
    }

    /**
     * A column.
     *
     * @param name its name in both stores
     * @param kind the kind of its values
     */
    public record Column(String name, Kind kind) {}

    private final Part part;
    private final int keys;
    private final List<Column> columns;

    /** Columns of one kind, or the columns of the key. */
    private record Group(List<Column> columns) {}

    CopyTable(Part part, Group keys, Group... others) {
        this.part = part;
        this.keys = keys.columns.size();
        this.columns = Stream.concat(Stream.of(keys), Stream.of(others))
                .flatMap(group -> group.columns.stream())
                .toList();
    }

    private static Group keys(Group... groups) {
        return new Group(
                Stream.of(groups).flatMap(group -> group.columns.stream()).toList());
    }

    private static Group numbers(String... names) {
        return columns(Kind.NUMBER, names);
    }

    private static Group flags(String... names) {
        return columns(Kind.FLAG, names);
    }

    private static Group fractions(String... names) {
        return columns(Kind.FRACTION, names);
    }

    private static Group texts(String... names) {
        return columns(Kind.TEXT, names);
    }

    private static Group arrays(String... names) {
        return columns(Kind.NUMBERS, names);
    }

    private static Group bytes(String... names) {
        return columns(Kind.BYTES, names);
    }

    private static Group columns(Kind kind, String... names) {
        return new Group(Stream.of(names).map(name -> new Column(name, kind)).toList());
    }

    /** Returns a text for each table, such as the statements of a store. */
    public static Map<CopyTable, String> each(Function<CopyTable, String> statement) {
        return of(table -> true, statement);
    }

    /** Returns a text for each table that belongs to jobs. */
    public static Map<CopyTable, String> eachOfJobs(Function<CopyTable, String> statement) {
        return of(table -> table.part == Part.OF_JOBS, statement);
    }

    private static Map<CopyTable, String> of(Predicate<CopyTable> wanted, Function<CopyTable, String> statement) {
        Map<CopyTable, String> statements = new EnumMap<>(CopyTable.class);
        Stream.of(values()).filter(wanted).forEach(table -> statements.put(table, statement.apply(table)));
        return Collections.unmodifiableMap(statements);
    }

    /** Returns its name in the stores, after their prefix. */
    public String table() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the stage in which it is copied. */
    public Part part() {
        return part;
    }

    /** Returns all columns, the columns of the key first. */
    public List<Column> columns() {
        return columns;
    }

    /** Returns the columns that identify a row, and by which rows are ordered: numbers by value, texts by their code points. */
    public List<Column> keys() {
        return columns.subList(0, keys);
    }

    /** Compares two rows by their keys. */
    public int compareKeys(@Nullable Object[] a, @Nullable Object[] b) {
        for (int i = 0; i < keys; i++) {
            int order = a[i] instanceof Long number && b[i] instanceof Long other
                    ? Long.compare(number, other)
                    : compareTexts(String.valueOf(a[i]), String.valueOf(b[i]));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** Compares texts in the order of their UTF-8 bytes. Java's own order differs beyond the basic multilingual plane. */
    private static int compareTexts(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean far = Character.isSurrogate(x);
                return far == Character.isSurrogate(y) ? Character.compare(x, y) : far ? 1 : -1;
            }
        }
        return Integer.compare(a.length(), b.length());
    }
}
