package dev.windrow.store.sql.job;

import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The changes that one transaction makes to the sums of failed jobs by code. Each job that becomes or ceases to be {@code FAILED} is recorded here
 * once, in the transaction that moves it. So the sums are exact.
 */
public final class Failures {
    private static final Columns<Sum> SUMS = new Columns<Sum>()
            .texts(sum -> sum.errorCode)
            .longs(sum -> sum.n)
            .longs(sum -> sum.firstAt)
            .longs(sum -> sum.lastAt);

    private static final class Sum {
        private final String errorCode;
        private long n;
        private @Nullable Long firstAt;
        private @Nullable Long lastAt;

        private Sum(String errorCode) {
            this.errorCode = errorCode;
        }
    }

    private final Map<String, Sum> sums = new LinkedHashMap<>();

    /** Records that a job became {@code FAILED} with this code, or none, at this time. */
    public void failed(@Nullable String errorCode, long at) {
        Sum sum = of(errorCode);
        sum.n++;
        sum.firstAt = sum.firstAt == null ? at : Math.min(sum.firstAt, at);
        sum.lastAt = sum.lastAt == null ? at : Math.max(sum.lastAt, at);
    }

    /** Records that this number of jobs with this code, or none, are no longer {@code FAILED}. */
    public void noLongerFailed(@Nullable String errorCode, long jobs) {
        of(errorCode).n -= jobs;
    }

    private Sum of(@Nullable String errorCode) {
        return sums.computeIfAbsent(errorCode == null ? "" : errorCode, Sum::new);
    }

    /** True if nothing was recorded. */
    public boolean isEmpty() {
        return sums.isEmpty();
    }

    /** Adds the changes to the stored sums. */
    public void write(Statements statements) throws SQLException {
        statements.get(Statement.ADD_FAILURES).all(1, SUMS, List.copyOf(sums.values()));
    }

    /** Forgets all recorded changes. */
    public void clear() {
        sums.clear();
    }
}
