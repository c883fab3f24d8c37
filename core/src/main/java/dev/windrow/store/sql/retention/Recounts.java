package dev.windrow.store.sql.retention;

import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.retention.Recount;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The correction of the sums of failures. The differences are counted in one snapshot, for which no writer waits. All changes of jobs change the sums
 * in the same way. So the differences are still right when they are added later, in a short transaction. If two processes have counted the same
 * differences, one of them adds.
 */
public final class Recounts {
    /** The number of jobs of a code that are read for the times. Jobs that an older process has failed are usually the newest. */
    private static final int TIMES_OF = 20_000;

    private static final Columns<Recount.Sum> SUMS = new Columns<Recount.Sum>()
            .texts(Recount.Sum::errorCode)
            .longs(Recount.Sum::missing)
            .longs(Recount.Sum::firstAt)
            .longs(Recount.Sum::lastAt);

    private Recounts() {}

    /** Counts the differences between the sums and the jobs. */
    public static Recount find(Statements statements) throws SQLException {
        Long lastAt = null;
        List<Recount.Sum> wrong = new ArrayList<>();
        try (ResultSet rows = statements
                .get(Statement.WRONG_SUMS)
                .set(1, BackgroundTask.RECOUNT)
                .rows()) {
            while (rows.next()) {
                wrong.add(new Recount.Sum(rows.getString(1), rows.getLong(2), null, null));
                lastAt = Rows.longOrNull(rows, 3);
            }
        }
        List<Recount.Sum> sums = new ArrayList<>();
        for (Recount.Sum sum : wrong) {
            sums.add(sum.missing() > 0 ? withTimes(statements, sum) : sum);
        }
        return new Recount(lastAt, sums);
    }

    private static Recount.Sum withTimes(Statements statements, Recount.Sum sum) throws SQLException {
        boolean none = sum.errorCode().isEmpty();
        Query query = statements.get(none ? Statement.FAILED_WITHOUT_CODE : Statement.FAILED_WITH_CODE);
        if (!none) {
            query.set(1, sum.errorCode());
        }
        query.set(none ? 1 : 2, TIMES_OF);
        try (ResultSet row = query.rows()) {
            return row.next()
                    ? new Recount.Sum(sum.errorCode(), sum.missing(), Rows.longOrNull(row, 1), Rows.longOrNull(row, 2))
                    : sum;
        }
    }

    /** Adds the differences; returns how many sums it has corrected: all, or none. */
    public static int add(WriteTransaction tx, Recount found) throws SQLException {
        if (tx.statements()
                        .get(Statement.MARK_RECOUNT)
                        .set(1, BackgroundTask.RECOUNT)
                        .set(2, found.lastAtMillis())
                        .set(3, found.lastAtMillis() == null ? tx.now() : Math.max(tx.now(), found.lastAtMillis() + 1))
                        .update()
                == 0) {
            return 0;
        }
        tx.wrote();
        tx.statements().get(Statement.ADD_FAILURES).all(1, SUMS, found.sums());
        return found.sums().size();
    }
}
