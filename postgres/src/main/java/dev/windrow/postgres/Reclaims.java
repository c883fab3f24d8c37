package dev.windrow.postgres;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.EventKind;
import dev.windrow.store.Hold;
import dev.windrow.store.Reclaim;
import dev.windrow.store.Suspect;
import dev.windrow.store.sql.Columns;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The verb reclaim: a job whose worker is gone goes on along a transition of the holder, guarded by (id, RUNNING, token,
 * the lease, start and request to cancel as they were seen). The rows are locked before they are
 * looked at, so that a renewal or a settlement that came before is seen.
 */
final class Reclaims {
    /** How often a row that somebody else has locked since it was seen is tried for, 5 ms apart. */
    private static final int TRIES = 40;

    private Reclaims() {}

    static List<Reclaim> reclaim(PostgresTransaction tx, List<Reclaim> reclaims) throws SQLException {
        Map<Hold, Reclaim> wanted = new LinkedHashMap<>();
        reclaims.forEach(reclaim -> wanted.putIfAbsent(reclaim.suspect().hold(), reclaim));
        List<Reclaim> taken = new ArrayList<>();
        List<Settles.Ended> ended = new ArrayList<>();
        for (int tries = 0; tries < TRIES && !wanted.isEmpty(); tries++) {
            if (tries > 0) {
                // Somebody has a row: a request to cancel that is about to commit, or a transaction that stays open.
                // The others do
                // not wait for that.
                tx.statements().get(Sql.WAIT_A_MOMENT).one();
                wanted.keySet().retainAll(still(tx, wanted));
            }
            take(tx, wanted, taken, ended);
        }
        boolean[] applied = Settles.apply(tx, ended);
        return IntStream.range(0, applied.length)
                .filter(i -> applied[i])
                .mapToObj(taken::get)
                .toList();
    }

    /** Those that are still as they were seen, locked or not. */
    private static Set<Hold> still(PostgresTransaction tx, Map<Hold, Reclaim> wanted) throws SQLException {
        return Settles.holds(bind(tx, Sql.LOOKS_SUSPECT, wanted));
    }

    private static PostgresQuery bind(PostgresTransaction tx, String sql, Map<Hold, Reclaim> wanted)
            throws SQLException {
        PostgresQuery query = tx.statements().get(sql);
        Columns<Suspect> columns = new Columns<Suspect>()
                .longs(suspect -> suspect.hold().id())
                .longs(suspect -> suspect.hold().token())
                .longs(suspect -> tx.clock.toServer(suspect.leaseUntilMillis()))
                .ints(suspect -> suspect.started() ? 1 : 0);
        query.bind(1, columns, wanted.values().stream().map(Reclaim::suspect).toList());
        return query;
    }

    /** Locks what nobody else has locked, and decides what becomes of it. */
    private static void take(
            PostgresTransaction tx, Map<Hold, Reclaim> wanted, List<Reclaim> taken, List<Settles.Ended> ended)
            throws SQLException {
        if (wanted.isEmpty()) {
            return;
        }
        try (ResultSet row = bind(tx, Sql.STILL_SUSPECT, wanted).rows()) {
            while (row.next()) {
                Reclaim reclaim = Objects.requireNonNull(wanted.remove(new Hold(row.getLong(1), row.getLong(2))));
                Suspect suspect = reclaim.suspect();
                // Somebody may have asked for it since it was seen.
                Reclaim applied = row.getInt(6) != 0 ? reclaim.cancelled() : reclaim;
                taken.add(applied);
                boolean crashed = reclaim.outcome() == AttemptOutcome.RECOVERED;
                Long due = applied.nextRunAtMillis();
                ended.add(new Settles.Ended(
                        suspect.hold().id(),
                        suspect.hold().token(),
                        row.getInt(3),
                        Keys.Key.of(
                                tx,
                                row.getInt(3),
                                row.getString(9),
                                row.getString(7),
                                suspect.hold().id()),
                        row.getString(8),
                        suspect.used() + 1,
                        row.getInt(5),
                        applied.transition(),
                        reclaim.outcome(),
                        Rows.longOrNull(row, 4),
                        tx.now(),
                        null,
                        crashed ? ErrorCodes.INTERNAL_CRASHED : null,
                        crashed ? describe(suspect) : null,
                        null,
                        null,
                        due == null ? null : Long.valueOf(tx.clock.toServer(due)),
                        false,
                        null,
                        null,
                        null));
                tx.event(
                        suspect.hold().id(),
                        tx.now(),
                        EventKind.RECOVERED,
                        tx.actor(reclaim.actor()),
                        suspect.hold().token(),
                        JsonText.object("worker", suspect.worker(), "outcome", reclaim.outcome()));
            }
        }
    }

    private static String describe(Suspect suspect) {
        return "worker " + suspect.worker() + " was gone; "
                + (suspect.processEnded() ? "its process has ended" : "its lease ran out");
    }
}
