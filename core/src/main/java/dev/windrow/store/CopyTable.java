package dev.windrow.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a queue as they are copied from store to store, in the order in which they are written, with the columns that both kinds of
 * store have. Each store says how it reads and writes them; one table here may be two there.
 *
 * <p>Numbers, flags (0 or 1) are {@link Long}, fractions {@link Double}, texts {@link String}, bytes {@code byte[]}; each may be null.
 */
@SuppressWarnings("ImmutableEnumChecker") // List.copyOf is immutable; its type does not say so.
public enum CopyTable {
    /** Names of workers and operators, and what tells workers of one name apart. */
    ACTORS(Part.ALWAYS, keys(number("id")), text("name"), text("instance")),
    /** Pairs of queue and type. */
    LANES(
            Part.ALWAYS,
            keys(number("id")),
            text("queue"),
            text("type"),
            number("paused_at"),
            number("paused_by"),
            text("pause_reason"),
            flag("governed")),
    /** Jobs with their payloads. */
    JOBS(
            Part.OF_JOBS,
            keys(number("id")),
            number("lane"),
            text("state"),
            flag("held"),
            number("priority"),
            number("scheduled_at"),
            number("token"),
            number("used"),
            number("max_attempts"),
            number("timeout_ms"),
            number("worker"),
            number("lease_until"),
            number("claimed_at"),
            number("started_at"),
            number("cancel_requested"),
            number("open_parents"),
            text("waiting_for"),
            number("wake_at"),
            text("wake_state"),
            number("wait_ms"),
            number("created_at"),
            number("finished_at"),
            text("error_code"),
            text("error_detail"),
            text("name"),
            text("retry_policy"),
            text("traceparent"),
            number("chain_id"),
            number("chain_index"),
            text("dedupe_key"),
            text("dedupe_scope"),
            text("dedupe_type"),
            text("concurrency_key"),
            number("concurrency_most"),
            number("workflow_id"),
            text("payload")),
    /** Results of jobs. */
    RESULTS(Part.OF_JOBS, keys(number("job_id")), text("result")),
    /** Tags of jobs. */
    TAGS(Part.OF_JOBS, keys(number("job_id"), text("tag"))),
    /** Ended attempts. */
    ATTEMPTS(
            Part.OF_JOBS,
            keys(number("job_id"), number("token")),
            number("attempt"),
            number("worker"),
            number("started_at"),
            number("finished_at"),
            text("outcome"),
            text("error_code"),
            text("error_detail")),
    /** What attempts have left that is too long for their rows. */
    ATTEMPT_TEXTS(Part.OF_JOBS, keys(number("job_id"), number("token"), text("kind")), text("text")),
    /** The log of events. */
    EVENTS(
            Part.OF_JOBS,
            keys(number("job_id"), number("seq")),
            number("at"),
            text("event"),
            number("actor"),
            number("token"),
            text("detail")),
    /** Durable steps, sleeps and awaited events. */
    STEPS(
            Part.OF_JOBS,
            keys(number("job_id"), text("name")),
            number("position"),
            number("token"),
            number("started_at"),
            number("finished_at"),
            number("until_at"),
            number("actor"),
            text("kind"),
            text("state"),
            text("result")),
    /** What running jobs say of how far they are. */
    PROGRESS(
            Part.OF_JOBS, keys(number("job_id")), number("token"), number("at"), fraction("fraction"), text("message")),
    /** What handlers have logged. */
    LOG_LINES(
            Part.OF_JOBS,
            keys(number("job_id"), number("seq")),
            number("at"),
            number("token"),
            text("level"),
            text("message")),
    /** Long payloads and results, without those that nobody has adopted. */
    BLOBS(
            Part.OF_JOBS,
            keys(number("id")),
            number("job_id"),
            text("kind"),
            number("bytes"),
            text("sha256"),
            text("file"),
            number("created_at")),
    /** Their parts. */
    BLOB_CHUNKS(Part.OF_JOBS, keys(number("blob_id"), number("position")), bytes("content")),
    /** Which child waits for which parent. An edge may change while its child has ended long ago. */
    EDGES(
            Part.AT_THE_END,
            keys(number("child"), number("position")),
            number("parent"),
            text("policy"),
            flag("satisfied"),
            flag("chain"),
            flag("cancelled")),
    /** Parents with children that are left. */
    RELEASES(Part.AT_THE_END, keys(number("parent"), text("state")), number("after"), number("actor")),
    /** Who holds a dedupe key. */
    DEDUPE(Part.AT_THE_END, keys(text("type"), text("key")), number("job_id"), text("scope"), number("expires_at")),
    /** What is said of queues, types and keys. */
    CONTROLS(
            Part.AT_THE_END,
            keys(text("kind"), text("name")),
            number("paused_at"),
            number("paused_by"),
            text("pause_reason"),
            number("max_running"),
            number("rate_count"),
            number("rate_millis"),
            number("rate_burst"),
            number("next_start"),
            number("wakes_at")),
    /** Places and lines of concurrency keys. */
    TURNS(
            Part.AT_THE_END,
            keys(number("job_id")),
            text("key"),
            number("priority"),
            number("turn"),
            number("most"),
            flag("placed")),
    /** How long ended jobs are kept. */
    RETENTION(Part.AT_THE_END, keys(text("state"), text("type")), number("keep_ms")),
    /** Schedules. */
    SCHEDULES(
            Part.AT_THE_END,
            keys(number("id")),
            text("name"),
            text("queue"),
            text("type"),
            text("payload"),
            text("job_name"),
            number("priority"),
            number("max_attempts"),
            number("timeout_ms"),
            text("retry_policy"),
            text("tags"),
            text("concurrency_key"),
            number("concurrency_most"),
            text("cron"),
            text("zone"),
            number("every_ms"),
            number("starts_at"),
            text("misfire"),
            text("overlap"),
            number("paused_at"),
            number("paused_by"),
            text("pause_reason"),
            number("next_at"),
            number("last_at"),
            number("fired_at"),
            number("last_job"),
            number("revision"),
            number("created_at"),
            number("created_by"),
            number("changed_at")),
    /** What became of their due times. */
    SCHEDULE_RUNS(
            Part.AT_THE_END,
            keys(number("schedule_id"), number("due_at")),
            number("until_at"),
            number("runs"),
            number("fired_at"),
            text("outcome"),
            number("job_id")),
    /** How many jobs a lane has in a state, without those that count nothing. */
    COUNTERS(Part.AT_THE_END, keys(number("lane"), text("state")), number("n")),
    /** How many attempts of a number have ended, without those that count nothing. */
    RETRY_COUNTERS(Part.AT_THE_END, keys(number("lane"), number("attempt")), number("n")),
    /** How many jobs are failed with a code, and since when. */
    FAILURES(Part.AT_THE_END, keys(text("error_code")), number("n"), number("first_at"), number("last_at")),
    /** Sums of each minute, of which only the newest change. */
    MINUTES(
            Part.ALWAYS,
            keys(number("minute"), number("lane")),
            number("succeeded"),
            number("failed"),
            number("wait_ms"),
            number("run_ms"),
            numbers("wait_bins"),
            numbers("run_bins"),
            number("wait_max"),
            number("run_max")),
    /** What was done to many jobs at once. */
    AUDIT(
            Part.AT_THE_END,
            keys(number("id")),
            number("at"),
            number("actor"),
            text("action"),
            number("jobs"),
            text("detail"));

    /** When a table is copied. */
    public enum Part {
        /** Whole, each time: what jobs name, and what hardly changes. */
        ALWAYS,
        /** It belongs to jobs, and does not change once they are completed. */
        OF_JOBS,
        /** With all jobs only. */
        AT_THE_END
    }

    /** What a column holds. */
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
     * @param name as both stores name it
     * @param kind what it holds
     */
    public record Column(String name, Kind kind) {}

    private final Part part;
    private final int keys;
    private final List<Column> columns;

    CopyTable(Part part, List<Column> keys, Column... others) {
        this.part = part;
        this.keys = keys.size();
        List<Column> all = new ArrayList<>(keys);
        all.addAll(List.of(others));
        this.columns = List.copyOf(all);
    }

    private static List<Column> keys(Column... columns) {
        return List.of(columns);
    }

    private static Column number(String name) {
        return new Column(name, Kind.NUMBER);
    }

    private static Column flag(String name) {
        return new Column(name, Kind.FLAG);
    }

    private static Column fraction(String name) {
        return new Column(name, Kind.FRACTION);
    }

    private static Column text(String name) {
        return new Column(name, Kind.TEXT);
    }

    private static Column numbers(String name) {
        return new Column(name, Kind.NUMBERS);
    }

    private static Column bytes(String name) {
        return new Column(name, Kind.BYTES);
    }

    /** Its name in the stores, behind their prefix. */
    public String table() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** When it is copied. */
    public Part part() {
        return part;
    }

    /** All columns, those of the key first. */
    public List<Column> columns() {
        return columns;
    }

    /** The columns that name a row, and by which rows are ordered: numbers by value, texts by their code points. */
    public List<Column> keys() {
        return columns.subList(0, keys);
    }

    /** The order of two rows by their keys. */
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

    /** As the bytes of UTF-8 are ordered: beyond the basic plane, where Java's own order is another one, too. */
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
