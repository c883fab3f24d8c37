package dev.windrow.store.sql.job;

import dev.windrow.JobState;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.monitor.AuditPage;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Author;
import dev.windrow.store.job.Change;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.writer.WriteTransaction;
import dev.windrow.validation.Bounds;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The audit. An entry is written in the same transaction as the change that it records, so that both are committed or none. */
public final class Audits {
    private static final int NAMED = 100;
    private static final Columns<AuditEntry.Job> JOBS = new Columns<AuditEntry.Job>()
            .longs(AuditEntry.Job::id)
            .texts(job -> job.from().name())
            .texts(job -> job.to() == null ? null : job.to().name());

    private Audits() {}

    /** Writes the entry for a change of these jobs. */
    public static void add(WriteTransaction tx, Change change, List<ChangedRow> changed) throws SQLException {
        List<AuditEntry.Job> jobs = changed.stream()
                .limit(NAMED)
                .map(row -> new AuditEntry.Job(row.id(), row.state(), row.after(change)))
                .toList();
        add(tx, change.verb().name(), change.author(), changed.size(), jobs, detail(tx, change, changed));
        if (change.verb() == Change.Verb.DELETE) {
            tx.statements()
                    .get(Statement.REDACT_METADATA)
                    .ids(1, changed.stream().map(ChangedRow::id).toList())
                    .update();
        }
    }

    /** Writes the entry for an event that was sent to this job. */
    public static void signalled(WriteTransaction tx, Author author, String event, AuditEntry.Job job)
            throws SQLException {
        add(tx, "SIGNAL", author, 1, List.of(job), JsonText.object("event", event));
    }

    private static void add(
            WriteTransaction tx,
            String action,
            Author author,
            int changed,
            List<AuditEntry.Job> jobs,
            @Nullable String detail)
            throws SQLException {
        long entry = tx.audit(action, author.actor(), author.reason(), changed, detail);
        tx.statements().get(Statement.INSERT_AUDIT_JOBS).set(1, entry).all(2, JOBS, jobs);
    }

    /**
     * Returns the selection of jobs, and the options of the change. The entry of a deletion must not keep what was deleted. So it names the types of
     * the jobs, and leaves out texts of the filter that may name a person.
     */
    private static @Nullable String detail(WriteTransaction tx, Change change, List<ChangedRow> changed)
            throws SQLException {
        JobFilter filter = change.filter() == null ? JobFilter.ALL : change.filter();
        return JsonText.object(
                "state",
                filter.state(),
                "states",
                several(filter.states().stream().map(JobState::name).toList()),
                "type",
                filter.type(),
                "types",
                change.verb() == Change.Verb.DELETE && filter.type() == null ? types(tx, changed) : null,
                "queue",
                filter.queue(),
                "tag",
                kept(change, filter.tags().size() == 1 ? filter.tags().get(0) : null),
                "tags",
                kept(change, several(filter.tags())),
                "errorCode",
                change.errorCode() == null ? filter.errorCode() : change.errorCode(),
                "name",
                kept(change, filter.name()),
                "worker",
                filter.worker(),
                "dedupeKey",
                kept(change, filter.dedupeKey()),
                "concurrencyKey",
                kept(change, filter.concurrencyKey()),
                "createdAfter",
                filter.created().from(),
                "createdBefore",
                filter.created().before(),
                "finishedAfter",
                filter.finished().from(),
                "finishedBefore",
                filter.finished().before(),
                "scheduledAfter",
                filter.scheduled().from(),
                "scheduledBefore",
                filter.scheduled().before(),
                "workflow",
                filter.workflow(),
                "chain",
                filter.chain(),
                "parent",
                filter.parent(),
                "priority",
                filter.priority(),
                "maxAttempts",
                change.maxAttempts(),
                "withDependents",
                change.withDependents() ? true : null,
                "fromStart",
                change.fromStart() ? true : null,
                "metadata",
                change.metadata() == null ? null : new Json(change.metadata().json()));
    }

    /** Returns the value that an entry keeps of a text of the filter. */
    private static @Nullable Object kept(Change change, @Nullable Object text) {
        return text == null || change.verb() != Change.Verb.DELETE ? text : "(removed)";
    }

    /** Returns the types of the jobs, at most {@link #NAMED}. */
    private static Json types(WriteTransaction tx, List<ChangedRow> changed) throws SQLException {
        Set<String> types = new TreeSet<>();
        for (ChangedRow row : changed) {
            types.add(tx.type(row.lane()));
        }
        return new Json(JsonText.strings(types.stream().limit(NAMED).toList()));
    }

    /** Returns the texts if there are several. A single text has a key of its own. */
    private static @Nullable Json several(List<String> texts) {
        return texts.size() > 1 ? new Json(JsonText.strings(texts)) : null;
    }

    /** Returns a page of the matching entries, newest first, after this entry. After an entry that does not exist the page is empty. */
    public static AuditPage read(Statements statements, AuditFilter filter, @Nullable Long after, int limit)
            throws SQLException {
        Long last = after == null
                ? Long.valueOf(Long.MAX_VALUE)
                : statements.get(Statement.READ_AUDIT_TIME).set(1, after).oneOrNull();
        if (last == null) {
            return new AuditPage(List.of(), null);
        }
        Long from = Bounds.millis(filter.from());
        Long before = Bounds.millis(filter.before());
        // One bound for the index: the rest of the cursor decides between entries of one millisecond.
        long end = after == null ? Long.MAX_VALUE : last + 1;
        Statement path = path(filter);
        Query query = statements
                .get(path)
                .set(1, limit + 1)
                .set(2, from == null ? Long.valueOf(Long.MIN_VALUE) : from)
                .set(3, before == null ? end : Math.min(before, end))
                .set(4, last)
                .set(5, after == null ? Long.valueOf(Long.MAX_VALUE) : after);
        if (path != Statement.READ_AUDIT) {
            query.set(6, filter.action());
        }
        if (path == Statement.READ_AUDIT_OF_ACTOR || path == Statement.READ_AUDIT_OF_JOB) {
            query.set(7, filter.actor());
        }
        if (path == Statement.READ_AUDIT_OF_JOB) {
            query.set(8, filter.job());
        }
        Map<Long, List<AuditEntry.Job>> jobs = new HashMap<>();
        List<AuditEntry> read = query.list(row -> new AuditRow(
                /* id= */ row.getLong(1),
                /* at= */ Instant.ofEpochMilli(row.getLong(2)),
                /* action= */ row.getString(3),
                /* actor= */ row.getString(4),
                /* reason= */ row.getString(7),
                /* changed= */ row.getLong(5),
                /* jobs= */ jobs.computeIfAbsent(row.getLong(1), id -> new ArrayList<>()),
                /* detail= */ Rows.jsonOrNull(row, 6)));
        try (ResultSet rows =
                statements.get(Statement.READ_AUDIT_JOBS).ids(1, jobs.keySet()).rows()) {
            while (rows.next()) {
                String to = rows.getString(4);
                Objects.requireNonNull(jobs.get(rows.getLong(1)))
                        .add(new AuditEntry.Job(
                                rows.getLong(2),
                                JobState.valueOf(rows.getString(3)),
                                to == null ? null : JobState.valueOf(to)));
            }
        }
        boolean more = read.size() > limit;
        List<AuditEntry> entries = more ? read.subList(0, limit) : read;
        return new AuditPage(entries, more ? (Long) entries.get(limit - 1).id() : null);
    }

    /** Returns the statement that reads the fewest entries. The rest of the filter is checked. */
    private static Statement path(AuditFilter filter) {
        if (filter.job() != null) {
            return Statement.READ_AUDIT_OF_JOB;
        }
        if (filter.actor() != null) {
            return Statement.READ_AUDIT_OF_ACTOR;
        }
        return filter.action() == null ? Statement.READ_AUDIT : Statement.READ_AUDIT_OF_ACTION;
    }
}
