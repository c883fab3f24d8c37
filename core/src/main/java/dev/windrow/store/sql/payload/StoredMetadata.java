package dev.windrow.store.sql.payload;

import dev.windrow.EventKind;
import dev.windrow.payload.Metadata;
import dev.windrow.store.job.Change;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The metadata of jobs. A job without metadata has no row. */
public final class StoredMetadata {
    private StoredMetadata() {}

    /** Returns the metadata of a column; none if it is null. */
    public static Metadata of(@Nullable String json) {
        return json == null ? Metadata.none() : Metadata.parse(json);
    }

    /** Returns the metadata of a job; none if it does not exist. */
    public static Metadata read(Statements statements, long job) throws SQLException {
        String json = statements.get(Statement.READ_METADATA).set(1, job).find(row -> row.getString(1));
        return of(json);
    }

    /** Refuses a change after which the metadata would be too long. The job is locked. */
    public static void check(WriteTransaction tx, Change change) throws SQLException {
        if (change.metadata() != null) {
            Metadata unused = merged(tx, change.named().get(0), change.metadata());
        }
    }

    private static Metadata merged(WriteTransaction tx, long job, Metadata patch) throws SQLException {
        return read(tx.statements(), job).merge(patch);
    }

    /**
     * Changes the metadata of a job, which is locked, by a merge patch. The event replaces the earlier one of the same actor in the same attempt: a
     * handler, or a program from outside, may change them very often.
     */
    public static void merge(WriteTransaction tx, Change change, long job, long token) throws SQLException {
        Metadata merged = merged(tx, job, Objects.requireNonNull(change.metadata()));
        if (merged.equals(Metadata.none())) {
            tx.statements().get(Statement.DELETE_METADATA).set(1, job).update();
        } else {
            tx.statements()
                    .get(Statement.WRITE_METADATA)
                    .set(1, job)
                    .set(2, merged.json())
                    .update();
        }
        long actor = tx.actor(change.actor());
        // Another command of this transaction may have changed them.
        tx.flushEvents();
        tx.statements()
                .get(Statement.DELETE_METADATA_EVENT)
                .set(1, job)
                .set(2, token)
                .set(3, actor)
                .update();
        String detail = JsonText.object("reason", change.author().reason());
        tx.event(job, tx.now(), EventKind.METADATA_CHANGED, actor, token, detail);
    }
}
