package dev.windrow.postgres.job;

import dev.windrow.Dedupe;
import dev.windrow.JobState;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.job.KeyHolder;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.job.DedupeKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The holders of dedupe keys. Enqueues and retries take keys, chains move them along, and claims, ends and deletions give them up.
 *
 * <p>A transaction locks the row of a key only if it writes it. A transaction that only finds a key held locks nothing. If it stays open, the holder
 * can still give the key up. A transaction that gives up a key has locked the row of its job. So locks of keys need no order.
 */
public final class Keys {
    /** An id that no job has. */
    private static final long NOBODY = -1;

    private static final Columns<Wanted> WANTED = new Columns<Wanted>()
            .texts(wanted -> wanted.name.type())
            .texts(wanted -> wanted.name.key())
            .longs(Wanted::job)
            .texts(wanted -> wanted.scope.name())
            .longs(Wanted::expiresAt);

    private static final Columns<Wanted> FROM =
            new Columns<Wanted>().longs(wanted -> wanted.from == null ? NOBODY : wanted.from.job());

    private static final Columns<DedupeKey> KEYS = new Columns<DedupeKey>()
            .texts(key -> key.type())
            .texts(key -> key.key())
            .longs(DedupeKey::job);

    private static final Columns<Moved> MOVED = new Columns<Moved>()
            .texts(moved -> moved.key.type())
            .texts(moved -> moved.key.key())
            .longs(moved -> moved.key.job())
            .longs(Moved::next);

    /** A key, and the job that gets it from the previous job of its chain. */
    public record Moved(DedupeKey key, long next) {}

    /**
     * A key that a job is to get.
     *
     * @param from the holder that no longer held the key when it was read, or null if there was none
     */
    record Wanted(
            DedupeKey.Name name,
            long job,
            Dedupe.Scope scope,
            @Nullable Long expiresAt,
            @Nullable KeyHolder from) {}

    private Keys() {}

    /** Reads the holders of these keys, as this transaction sees them. Includes holders whose time has expired. */
    static Map<DedupeKey.Name, KeyHolder> read(PostgresTransaction tx, Collection<DedupeKey.Name> names)
            throws SQLException {
        Map<DedupeKey.Name, KeyHolder> found = new HashMap<>();
        try (ResultSet rows = tx.statements()
                .get(DedupeSql.KEY_HOLDERS)
                .texts(1, names.stream().map(DedupeKey.Name::type).toList())
                .texts(2, names.stream().map(DedupeKey.Name::key).toList())
                .rows()) {
            while (rows.next()) {
                String state = rows.getString(6);
                KeyHolder holder = new KeyHolder(
                        /* job= */ rows.getLong(3),
                        /* scope= */ Dedupe.Scope.valueOf(rows.getString(4)),
                        /* expiresAtMillis= */ Rows.longOrNull(rows, 5),
                        /* state= */ state == null ? null : JobState.valueOf(state),
                        /* parked= */ "EVENT".equals(rows.getString(7)),
                        /* scheduledAtMillis= */ rows.getLong(8),
                        /* claimedAtMillis= */ Rows.longOrNull(rows, 9),
                        /* continues= */ rows.getInt(10) > 0);
                found.put(new DedupeKey.Name(rows.getString(1), rows.getString(2)), holder);
            }
        }
        return found;
    }

    static @Nullable KeyHolder read(PostgresTransaction tx, DedupeKey.Name name) throws SQLException {
        return read(tx, List.of(name)).get(name);
    }

    /**
     * Takes keys that were free when they were read, or free to take over. Returns the taken ones. Another transaction may have been faster. Waits
     * for an open transaction that has taken a key.
     */
    static Set<DedupeKey.Name> take(PostgresTransaction tx, List<Wanted> wanted) throws SQLException {
        Set<DedupeKey.Name> taken = new HashSet<>();
        // The keys are sorted, so that two transactions that want the same keys cannot wait for each other.
        List<Wanted> sorted = wanted.stream()
                .sorted(Comparator.comparing((Wanted each) -> each.name.type()).thenComparing(each -> each.name.key()))
                .toList();
        take(
                tx,
                DedupeSql.TAKE_KEYS,
                sorted.stream().filter(each -> each.from == null).toList(),
                taken);
        take(
                tx,
                DedupeSql.TAKE_OVER_KEYS,
                sorted.stream().filter(each -> each.from != null).toList(),
                taken);
        return taken;
    }

    private static void take(PostgresTransaction tx, String sql, List<Wanted> wanted, Set<DedupeKey.Name> taken)
            throws SQLException {
        if (wanted.isEmpty()) {
            return;
        }
        PostgresQuery take = tx.statements().get(sql);
        take.bind(1, WANTED, wanted);
        if (sql.equals(DedupeSql.TAKE_OVER_KEYS)) {
            take.bind(6, FROM, wanted);
        }
        try (ResultSet rows = take.rows()) {
            while (rows.next()) {
                taken.add(new DedupeKey.Name(rows.getString(1), rows.getString(2)));
            }
        }
    }

    /** True if a job still holds a key. Exact while this transaction has locked the row of the job. */
    static boolean holds(PostgresTransaction tx, DedupeKey.Name name, long job) throws SQLException {
        KeyHolder holder = read(tx, name);
        return holder != null && holder.job() == job;
    }

    /** Moves the keys that chains hold while they are unfinished to their next jobs. */
    public static void move(PostgresTransaction tx, List<Moved> moved) throws SQLException {
        if (!moved.isEmpty()) {
            PostgresQuery move = tx.statements().get(DedupeSql.MOVE_KEYS);
            move.bind(1, MOVED, moved);
            move.update();
        }
    }

    /** Gives up the keys that their jobs still hold and whose scope ends now, by {@code KEYS_STARTED}, {@code KEYS_ENDED} or {@code KEYS_GONE}. */
    public static void giveUp(PostgresTransaction tx, String sql, List<DedupeKey> keys) throws SQLException {
        if (!keys.isEmpty()) {
            PostgresQuery delete = tx.statements().get(sql);
            delete.bind(1, KEYS, keys);
            delete.update();
        }
    }
}
