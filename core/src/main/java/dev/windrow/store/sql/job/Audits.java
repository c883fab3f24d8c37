package dev.windrow.store.sql.job;

import dev.windrow.JobState;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.store.job.Change;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The audit. An entry is written in the same transaction as the change that it records, so that both are committed or none. */
public final class Audits {
    private static final int NAMED = 100;

    private Audits() {}

    /** True if a change writes an entry: a change of many jobs at once, or a change that leaves no other trace. */
    public static boolean isDue(Change change) {
        return change.holder() == null && (change.filter() != null || hasNoEvent(change));
    }

    /** True if a change has no entry in the event logs of its jobs. */
    private static boolean hasNoEvent(Change change) {
        return change.verb() == Change.Verb.DISCARD || change.verb() == Change.Verb.MERGE_METADATA;
    }

    /** Writes the entry for a change of these jobs. */
    public static void add(WriteTransaction tx, Change change, List<Long> changed) throws SQLException {
        tx.statements()
                .get(Statement.INSERT_AUDIT)
                .set(1, tx.now())
                .set(2, tx.actor(change.actor()))
                .set(3, change.verb().name())
                .set(4, changed.size())
                .set(5, detail(change, changed))
                .update();
        tx.wrote();
    }

    /** Returns the selection of jobs: the filter, and the ids of jobs that leave no event log. */
    private static @Nullable String detail(Change change, List<Long> changed) {
        JobFilter filter = change.filter() == null ? JobFilter.ALL : change.filter();
        List<Long> named = changed.size() > NAMED ? changed.subList(0, NAMED) : changed;
        return JsonText.object(
                "state",
                filter.state(),
                "states",
                several(filter.states().stream().map(JobState::name).toList()),
                "type",
                filter.type(),
                "queue",
                filter.queue(),
                "tag",
                filter.tags().size() == 1 ? filter.tags().get(0) : null,
                "tags",
                several(filter.tags()),
                "errorCode",
                filter.errorCode(),
                "name",
                filter.name(),
                "worker",
                filter.worker(),
                "dedupeKey",
                filter.dedupeKey(),
                "concurrencyKey",
                filter.concurrencyKey(),
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
                change.metadata() == null ? null : new Json(change.metadata().json()),
                "ids",
                hasNoEvent(change)
                        ? new Json(JsonText.strings(
                                named.stream().map(String::valueOf).toList()))
                        : null);
    }

    /** Returns the texts if there are several. A single text has a key of its own. */
    private static @Nullable Json several(List<String> texts) {
        return texts.size() > 1 ? new Json(JsonText.strings(texts)) : null;
    }

    /** Returns the newest entries, newest first. */
    public static List<AuditEntry> read(Statements statements, int limit) throws SQLException {
        return statements
                .get(Statement.READ_AUDIT)
                .set(1, limit)
                .list(row -> new AuditRow(
                        /* id= */ row.getLong(1),
                        /* at= */ Instant.ofEpochMilli(row.getLong(2)),
                        /* action= */ row.getString(3),
                        /* actor= */ row.getString(4),
                        /* jobs= */ row.getLong(5),
                        /* detail= */ Rows.jsonOrNull(row, 6)));
    }
}
