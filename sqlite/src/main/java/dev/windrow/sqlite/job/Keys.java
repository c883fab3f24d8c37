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

/** Who holds which dedupe key: taken by enqueues and retries, moved along by chains, given up by claims, ends and discards. */
public final class Keys {
    /** No job has this id. */
    private static final long NOBODY = -1;

    /** A key that is held, with what a change of its job has to know. */
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

    /** The other job that keeps this one from having the key, or null. */
    static @Nullable Long otherHolder(SqliteTransaction tx, DedupeKey wanted) throws SQLException {
        Held held = read(tx, wanted.type(), wanted.key());
        return held == null || held.holder.job() == wanted.job() || !held.holder.isLive(tx.now())
                ? null
                : Long.valueOf(held.holder.job());
    }

    /** Takes a key that was seen to be free, or to be this one's to take over. */
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
            throw new SQLException("dedupe key '%s' was taken while it was looked at".formatted(wanted.key()));
        }
    }

    /** A chain goes on: what it holds while it is unfinished is held by this job from now on. */
    public static void move(SqliteTransaction tx, DedupeKey key, long next) throws SQLException {
        tx.statements()
                .get(DedupeSql.MOVE_KEY)
                .set(1, key.type())
                .set(2, key.key())
                .set(3, key.job())
                .set(4, next)
                .update();
    }

    /** Gives up those of the keys that their jobs still hold and that end so: by {@code KEY_STARTED}, {@code KEY_ENDED} or {@code KEY_DISCARDED}. */
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
