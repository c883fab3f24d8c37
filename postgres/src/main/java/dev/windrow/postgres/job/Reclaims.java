package dev.windrow.postgres.job;

import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.job.Recoveries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The verb reclaim: takes a job back from a dead worker, by a transition of the holder. It is guarded by (id, RUNNING, token, the lease and the start
 * as they were seen). The rows are locked before they are read, so that an earlier renewal or settlement is seen.
 */
public final class Reclaims {
    /** The most tries to lock a row that another transaction has locked since it was seen. The pause between two tries is 5 ms. */
    private static final int TRIES = 40;

    private Reclaims() {}

    public static List<Orphan> reclaim(PostgresTransaction tx, Reclaim reclaim) throws SQLException {
        Map<LeaseToken, Orphan> wanted = new LinkedHashMap<>();
        reclaim.orphans().forEach(orphan -> wanted.putIfAbsent(orphan.suspect().leaseToken(), orphan));
        Recoveries recoveries = new Recoveries(tx);
        for (int tries = 0; tries < TRIES && !wanted.isEmpty(); tries++) {
            if (tries > 0) {
                // Another transaction has locked a row: a request to cancel that is about to commit, or a transaction
                // that stays open. The other jobs do not wait for that.
                tx.statements().get(JobSql.WAIT_A_MOMENT).one();
                wanted.keySet().retainAll(still(tx, wanted));
            }
            take(tx, wanted, recoveries);
        }
        return recoveries.taken(Settles.apply(tx, recoveries.ended()));
    }

    /** Returns the jobs that are still as they were seen, locked or not. */
    private static Set<LeaseToken> still(PostgresTransaction tx, Map<LeaseToken, Orphan> wanted) throws SQLException {
        return Settles.leaseTokens(bind(tx, JobSql.LOOKS_SUSPECT, wanted));
    }

    private static PostgresQuery bind(PostgresTransaction tx, String sql, Map<LeaseToken, Orphan> wanted)
            throws SQLException {
        PostgresQuery query = tx.statements().get(sql);
        Columns<Suspect> columns = new Columns<Suspect>()
                .longs(suspect -> suspect.leaseToken().id())
                .longs(suspect -> suspect.leaseToken().token())
                .longs(suspect -> tx.clock.toServer(suspect.leaseUntilMillis()))
                .ints(suspect -> suspect.started() ? 1 : 0);
        query.bind(1, columns, wanted.values().stream().map(Orphan::suspect).toList());
        return query;
    }

    /** Locks the jobs that no other transaction has locked, and decides their transitions. */
    private static void take(PostgresTransaction tx, Map<LeaseToken, Orphan> wanted, Recoveries recoveries)
            throws SQLException {
        if (wanted.isEmpty()) {
            return;
        }
        try (ResultSet row = bind(tx, JobSql.STILL_SUSPECT, wanted).rows()) {
            while (row.next()) {
                Orphan orphan = Objects.requireNonNull(wanted.remove(new LeaseToken(row.getLong(1), row.getLong(2))));
                recoveries.add(orphan, row);
            }
        }
    }
}
