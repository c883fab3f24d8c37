package dev.windrow.sqlite;

import dev.windrow.store.Duty;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts the sums of failures right. By how much they are wrong is counted in one snapshot, which no writer waits for; everybody who moves jobs changes
 * sums and jobs alike, so that it is still by as much when it is added later, in a short transaction. Of two that have counted the same, one adds.
 */
final class Recounts {
    /** Jobs of a code that are looked at for the times: those that an older process has failed are the newest, as a rule. */
    private static final int TIMES_OF = 20_000;

    private Recounts() {}

    private record Sum(
            String errorCode,
            long missing,
            @Nullable Long firstAt,
            @Nullable Long lastAt) {}

    /**
     * What is wrong.
     *
     * @param lastAt when the sums were last put right; null: never
     * @param sums by how much they are wrong
     */
    record Found(@Nullable Long lastAt, List<Sum> sums) {}

    static Found find(Statements statements) throws SQLException {
        Long lastAt = null;
        List<Sum> wrong = new ArrayList<>();
        PreparedStatement query = statements.get(RetentionSql.WRONG_SUMS);
        query.setString(1, Duty.RECOUNT);
        try (ResultSet rows = query.executeQuery()) {
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
        PreparedStatement query =
                statements.get(none ? RetentionSql.FAILED_WITHOUT_CODE : RetentionSql.FAILED_WITH_CODE);
        if (!none) {
            query.setString(1, sum.errorCode);
        }
        query.setInt(none ? 1 : 2, TIMES_OF);
        try (ResultSet row = query.executeQuery()) {
            return row.next()
                    ? new Sum(sum.errorCode, sum.missing, Rows.longOrNull(row, 1), Rows.longOrNull(row, 2))
                    : sum;
        }
    }

    /** Answers how many sums it has put right: all, or none. */
    static int add(WriteTransaction tx, Found found) throws SQLException {
        PreparedStatement mark = tx.statements.get(RetentionSql.MARK_RECOUNT);
        mark.setString(1, Duty.RECOUNT);
        Statements.setLong(mark, 2, found.lastAt);
        mark.setLong(3, found.lastAt == null ? tx.now : Math.max(tx.now, found.lastAt + 1));
        if (mark.executeUpdate() == 0) {
            return 0;
        }
        PreparedStatement add = tx.statements.get(StatisticsSql.ADD_FAILURES);
        for (Sum sum : found.sums) {
            add.setString(1, sum.errorCode);
            add.setLong(2, sum.missing);
            Statements.setLong(add, 3, sum.firstAt);
            Statements.setLong(add, 4, sum.lastAt);
            add.addBatch();
        }
        add.executeBatch();
        return found.sums.size();
    }
}
