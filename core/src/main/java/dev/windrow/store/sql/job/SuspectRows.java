package dev.windrow.store.sql.job;

import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.sql.connection.Query;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongUnaryOperator;

/** The reader of running jobs whose lease looks wrong. */
public final class SuspectRows {
    private SuspectRows() {}

    /**
     * Reads the suspects that a statement finds.
     *
     * @param query a query for id, token, lease, attempts used and at most, true if it was started, how often it was lost before, true if there is a
     *     request to cancel, retry policy, worker, length of that worker's leases, type
     * @param clock converts the store's clock to the clock of this process
     * @param processEnded true if the process of their workers has ended
     */
    public static List<Suspect> read(Query query, LongUnaryOperator clock, boolean processEnded) throws SQLException {
        return query.list(row -> new Suspect(
                /* leaseToken= */ new LeaseToken(row.getLong(1), row.getLong(2)),
                /* leaseUntilMillis= */ clock.applyAsLong(row.getLong(3)),
                /* used= */ row.getInt(4),
                /* maxAttempts= */ row.getInt(5),
                /* started= */ row.getBoolean(6),
                /* lostBefore= */ row.getInt(7),
                /* cancelRequested= */ row.getBoolean(8),
                /* retryPolicy= */ row.getString(9),
                /* type= */ row.getString(12),
                /* worker= */ row.getString(10),
                /* holderLeaseMillis= */ row.getLong(11),
                /* processEnded= */ processEnded));
    }
}
