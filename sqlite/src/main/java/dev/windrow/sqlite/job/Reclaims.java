package dev.windrow.sqlite.job;

import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.sql.job.Recoveries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The verb reclaim: the job of a dead worker makes a transition of its holder. It is guarded by (id, RUNNING, token, and the lease and start as
 * they were read). Queued renewals and starts are applied first, in the same transaction.
 */
public final class Reclaims {
    private Reclaims() {}

    public static int ids(Reclaim reclaim) {
        return 2 * reclaim.orphans().size();
    }

    public static List<Orphan> reclaim(SqliteTransaction tx, Reclaim reclaim) throws SQLException {
        Recoveries recoveries = new Recoveries(tx);
        Set<LeaseToken> seen = new HashSet<>();
        for (Orphan orphan : reclaim.orphans()) {
            Suspect suspect = orphan.suspect();
            if (!seen.add(suspect.leaseToken())) {
                continue;
            }
            try (ResultSet row = tx.statements()
                    .get(JobSql.STILL_SUSPECT)
                    .set(1, suspect.leaseToken().id())
                    .set(2, suspect.leaseToken().token())
                    .set(3, suspect.leaseUntilMillis())
                    .set(4, suspect.started() ? 1 : 0)
                    .rows()) {
                if (row.next()) {
                    recoveries.add(orphan, row);
                }
            }
        }
        tx.flushEvents();
        return recoveries.taken(Settles.apply(tx, recoveries.ended()));
    }
}
