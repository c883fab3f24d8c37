package dev.windrow.sqlite;

import dev.windrow.store.sql.Query;
import dev.windrow.store.sql.Statements;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one transaction changes in the sums of failed jobs by code. Each job that becomes or ceases to be {@code FAILED} is said here once, in the
 * transaction that moves it, so that the sums are exact.
 */
final class Failures {
    private static final class Sum {
        private long n;
        private long firstAt = Long.MAX_VALUE;
        private long lastAt = Long.MIN_VALUE;
    }

    private final Map<String, Sum> sums = new HashMap<>();

    void failed(@Nullable String errorCode, long at) {
        Sum sum = of(errorCode);
        sum.n++;
        sum.firstAt = Math.min(sum.firstAt, at);
        sum.lastAt = Math.max(sum.lastAt, at);
    }

    void noLongerFailed(@Nullable String errorCode, long jobs) {
        of(errorCode).n -= jobs;
    }

    private Sum of(@Nullable String errorCode) {
        return sums.computeIfAbsent(errorCode == null ? "" : errorCode, key -> new Sum());
    }

    /** Adds it to the table. */
    void write(Statements statements) throws SQLException {
        if (sums.isEmpty()) {
            return;
        }
        Query add = statements.get(StatisticsSql.ADD_FAILURES);
        for (Map.Entry<String, Sum> entry : sums.entrySet()) {
            Sum sum = entry.getValue();
            boolean any = sum.firstAt != Long.MAX_VALUE;
            add.set(1, entry.getKey())
                    .set(2, sum.n)
                    .set(3, any ? sum.firstAt : null)
                    .set(4, any ? sum.lastAt : null)
                    .add();
        }
        add.batch();
        sums.clear();
    }
}
