package dev.windrow.sqlite;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.EventKind;
import dev.windrow.store.Hold;
import dev.windrow.store.Reclaim;
import dev.windrow.store.Suspect;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The verb reclaim: a job whose worker is gone goes on along a transition of the holder, guarded by (id, RUNNING, token,
 * the lease, start and request to cancel as they were seen). Renewals and starts that were queued are applied before, in
 * the same transaction.
 */
final class Reclaims {
    private Reclaims() {}

    static int ids(int jobs) {
        return 2 * jobs;
    }

    static List<Reclaim> reclaim(SqliteTransaction tx, List<Reclaim> reclaims) throws SQLException {
        List<Reclaim> taken = new ArrayList<>();
        List<Settles.Ended> ended = new ArrayList<>();
        Set<Hold> seen = new HashSet<>();
        for (Reclaim reclaim : reclaims) {
            Suspect suspect = reclaim.suspect();
            if (!seen.add(suspect.hold())) {
                continue;
            }
            try (ResultSet row = tx.statements()
                    .get(Sql.STILL_SUSPECT)
                    .set(1, suspect.hold().id())
                    .set(2, suspect.hold().token())
                    .set(3, suspect.leaseUntilMillis())
                    .set(4, suspect.started() ? 1 : 0)
                    .rows()) {
                if (!row.next()) {
                    continue;
                }
                // Somebody may have asked for it since it was seen.
                Reclaim applied = row.getLong(4) != 0 ? reclaim.cancelled() : reclaim;
                taken.add(applied);
                boolean crashed = reclaim.outcome() == AttemptOutcome.RECOVERED;
                ended.add(new Settles.Ended(
                        suspect.hold().id(),
                        suspect.hold().token(),
                        row.getLong(1),
                        Keys.Key.of(
                                tx,
                                row.getLong(1),
                                row.getString(7),
                                row.getString(5),
                                suspect.hold().id()),
                        row.getString(6),
                        suspect.used() + 1,
                        row.getLong(3),
                        applied.transition(),
                        reclaim.outcome(),
                        Rows.longOrNull(row, 2),
                        tx.now(),
                        null,
                        crashed ? ErrorCodes.INTERNAL_CRASHED : null,
                        crashed ? describe(suspect) : null,
                        null,
                        null,
                        applied.nextRunAtMillis(),
                        false,
                        null,
                        null,
                        null));
            }
            tx.event(
                    suspect.hold().id(),
                    tx.now(),
                    EventKind.RECOVERED,
                    tx.names.actor(reclaim.actor()),
                    suspect.hold().token(),
                    JsonText.object("worker", suspect.worker(), "outcome", reclaim.outcome()));
        }
        tx.flushEvents();
        boolean[] applied = Settles.apply(tx, ended);
        return IntStream.range(0, applied.length)
                .filter(i -> applied[i])
                .mapToObj(taken::get)
                .toList();
    }

    private static String describe(Suspect suspect) {
        return "worker " + suspect.worker() + " was gone; "
                + (suspect.processEnded() ? "its process has ended" : "its lease ran out");
    }
}
