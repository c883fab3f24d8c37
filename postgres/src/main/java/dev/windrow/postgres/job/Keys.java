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
 * Who holds which dedupe key: taken by enqueues and retries, moved along by chains, given up by claims, ends and discards.
 *
 * <p>The row of a key is locked by whoever writes it, and by nobody who only finds it held: a transaction that stays open and
 * has found a key held keeps nobody from giving it up. Whoever gives it up has the row of its job, so that there
 * is no order of locks to get wrong.
 */
public final class Keys {
    /** No job has this id. */
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

    /** A key, and the job that has it from the one before in its chain. */
    public record Moved(DedupeKey key, long next) {}

    /**
     * A key that a job is to have.
     *
     * @param from who was seen to hold it no longer, or null if nobody was
     */
    record Wanted(
            DedupeKey.Name name,
            long job,
            Dedupe.Scope scope,
            @Nullable Long expiresAt,
            @Nullable KeyHolder from) {}

    private Keys() {}

    /** Who holds these keys, or held them until they expired, as this transaction sees it. */
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
     * Takes keys that were seen to be free, or to be free to take over; answers which. Another transaction may have been
     * quicker; one that is open and has taken a key is waited for.
     */
    static Set<DedupeKey.Name> take(PostgresTransaction tx, List<Wanted> wanted) throws SQLException {
        Set<DedupeKey.Name> taken = new HashSet<>();
        // In one order, so that two that want the same keys cannot wait for each other.
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

    /** Whether a job still holds a key; exact while its row is locked by this transaction. */
    static boolean holds(PostgresTransaction tx, DedupeKey.Name name, long job) throws SQLException {
        KeyHolder holder = read(tx, name);
        return holder != null && holder.job() == job;
    }

    /** Chains go on: what they hold while they are unfinished is held by these jobs from now on. */
    public static void move(PostgresTransaction tx, List<Moved> moved) throws SQLException {
        if (!moved.isEmpty()) {
            PostgresQuery move = tx.statements().get(DedupeSql.MOVE_KEYS);
            move.bind(1, MOVED, moved);
            move.update();
        }
    }

    /** Gives up those of the keys that their jobs still hold and that end so: by {@code KEYS_STARTED}, {@code KEYS_ENDED} or {@code KEYS_GONE}. */
    public static void giveUp(PostgresTransaction tx, String sql, List<DedupeKey> keys) throws SQLException {
        if (!keys.isEmpty()) {
            PostgresQuery delete = tx.statements().get(sql);
            delete.bind(1, KEYS, keys);
            delete.update();
        }
    }
}
