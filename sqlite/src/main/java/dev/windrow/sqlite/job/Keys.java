package dev.windrow.sqlite.job;

import dev.windrow.Dedupe;
import dev.windrow.JobState;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.job.KeyHolder;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.job.DedupeKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The holders of dedupe keys. Enqueues and retries take keys, chains move them, and claims, ends and deletions release them. */
public final class Keys {
    /** An id that no job has. */
    private static final long NOBODY = -1;

    /** A key that is held, with the data of its job that a change needs. */
    record Held(
            KeyHolder holder,
            long lane,
            long token,
            @Nullable String concurrencyKey) {}

    private Keys() {}

    static @Nullable Held read(SqliteTransaction tx, String type, String key) throws SQLException {
        try (ResultSet row = tx.statements()
                .get(DedupeSql.KEY_HOLDER)
                .set(1, type)
                .set(2, key)
                .rows()) {
            if (!row.next()) {
                return null;
            }
            String state = row.getString(4);
            KeyHolder holder = new KeyHolder(
                    /* job= */ row.getLong(1),
                    /* scope= */ Dedupe.Scope.valueOf(row.getString(2)),
                    /* expiresAtMillis= */ Rows.longOrNull(row, 3),
                    /* state= */ state == null ? null : JobState.valueOf(state),
                    /* parked= */ "EVENT".equals(row.getString(5)),
                    /* scheduledAtMillis= */ row.getLong(6),
                    /* claimedAtMillis= */ Rows.longOrNull(row, 7),
                    /* continues= */ row.getBoolean(11));
            return new Held(holder, row.getLong(8), row.getLong(9), row.getString(10));
        }
    }

    /** Returns the other job whose key prevents this one from having it, or null. */
    static @Nullable Long otherHolder(SqliteTransaction tx, DedupeKey wanted) throws SQLException {
        Held held = read(tx, wanted.type(), wanted.key());
        return held == null || held.holder.job() == wanted.job() || !held.holder.isLive(tx.now())
                ? null
                : Long.valueOf(held.holder.job());
    }

    /** Takes a key that was read as free, or as one that this job may take over. */
    static void take(
            SqliteTransaction tx, DedupeKey wanted, @Nullable Held from, Dedupe.Scope scope, @Nullable Long expiresAt)
            throws SQLException {
        if (tx.statements()
                        .get(DedupeSql.TAKE_KEY)
                        .set(1, wanted.type())
                        .set(2, wanted.key())
                        .set(3, wanted.job())
                        .set(4, scope.name())
                        .set(5, expiresAt)
                        .set(6, from == null ? NOBODY : from.holder.job())
                        .update()
                != 1) {
            throw new SQLException("dedupe key '%s' was taken by another job during the check".formatted(wanted.key()));
        }
    }

    /** Moves a key that a chain holds while it is unfinished to the next job of the chain. */
    public static void move(SqliteTransaction tx, DedupeKey key, long next) throws SQLException {
        tx.statements()
                .get(DedupeSql.MOVE_KEY)
                .set(1, key.type())
                .set(2, key.key())
                .set(3, key.job())
                .set(4, next)
                .update();
    }

    /** Releases the key of a deleted job. If the job is {@code COMPLETED}, its work was done, and a key whose scope is longer stays without it. */
    static void deleted(SqliteTransaction tx, DedupeKey key, JobState state) throws SQLException {
        tx.statements()
                .get(DedupeSql.KEY_DELETED)
                .set(1, key.type())
                .set(2, key.key())
                .set(3, key.job())
                .set(4, state.name())
                .set(5, tx.now())
                .update();
    }

    /** Releases the keys that their jobs still hold and whose scope ends by this statement: {@code KEY_STARTED} or {@code KEY_ENDED}. */
    public static void giveUp(SqliteTransaction tx, String sql, List<DedupeKey> keys) throws SQLException {
        if (keys.isEmpty()) {
            return;
        }
        Query delete = tx.statements().get(sql);
        for (DedupeKey key : keys) {
            delete.set(1, key.type()).set(2, key.key()).set(3, key.job()).add();
        }
        delete.batch();
    }
}
