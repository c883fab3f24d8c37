package dev.windrow.store.sql;

import dev.windrow.store.Duty;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts the sums of failures right. By how much they are wrong is counted in one snapshot, which no writer waits for; everything that moves jobs changes
 * sums and jobs alike, so that it is still by as much when it is added later, in a short transaction. Of two that have counted the same, one adds.
 */
public final class Recounts {
    /** Jobs of a code that are looked at for the times: those that an older process has failed are the newest, as a rule. */
    private static final int TIMES_OF = 20_000;

    private static final Columns<Sum> SUMS = new Columns<Sum>()
            .texts(Sum::errorCode)
            .longs(Sum::missing)
            .longs(Sum::firstAt)
            .longs(Sum::lastAt);

    private Recounts() {}

    /**
     * A sum that is wrong.
     *
     * @param errorCode the code; empty: none
     * @param missing jobs that it lacks; negative: that it has too many
     * @param firstAt when the first one of these jobs has failed, as far as that was looked for
     * @param lastAt the same of the last one
     */
    public record Sum(
            String errorCode,
            long missing,
            @Nullable Long firstAt,
            @Nullable Long lastAt) {}

    /**
     * The sums that are wrong.
     *
     * @param lastAt when the sums were last put right; null: never
     * @param sums by how much they are wrong
     */
    public record Found(@Nullable Long lastAt, List<Sum> sums) {}

    /** Counts by how much the sums are wrong. */
    public static Found find(Statements statements) throws SQLException {
        Long lastAt = null;
        List<Sum> wrong = new ArrayList<>();
        try (ResultSet rows =
                statements.get(Statement.WRONG_SUMS).set(1, Duty.RECOUNT).rows()) {
            while (rows.next()) {
                wrong.add(new Sum(rows.getString(1), rows.getLong(2), null, null));
                lastAt = Rows.longOrNull(rows, 3);
            }
        }
        List<Sum> sums = new ArrayList<>();
        for (Sum sum : wrong) {
            sums.add(sum.missing > 0 ? withTimes(statements, sum) : sum);
        }
        return new Found(lastAt, sums);
    }

    private static Sum withTimes(Statements statements, Sum sum) throws SQLException {
        boolean none = sum.errorCode.isEmpty();
        Query query = statements.get(none ? Statement.FAILED_WITHOUT_CODE : Statement.FAILED_WITH_CODE);
        if (!none) {
            query.set(1, sum.errorCode);
        }
        query.set(none ? 1 : 2, TIMES_OF);
        try (ResultSet row = query.rows()) {
            return row.next()
                    ? new Sum(sum.errorCode, sum.missing, Rows.longOrNull(row, 1), Rows.longOrNull(row, 2))
                    : sum;
        }
    }

    /** Answers how many sums it has put right: all, or none. */
    public static int add(WriteTransaction tx, Found found) throws SQLException {
        if (tx.statements()
                        .get(Statement.MARK_RECOUNT)
                        .set(1, Duty.RECOUNT)
                        .set(2, found.lastAt)
                        .set(3, found.lastAt == null ? tx.now() : Math.max(tx.now(), found.lastAt + 1))
                        .update()
                == 0) {
            return 0;
        }
        tx.wrote();
        tx.statements().get(Statement.ADD_FAILURES).all(1, SUMS, found.sums);
        return found.sums.size();
    }
}
