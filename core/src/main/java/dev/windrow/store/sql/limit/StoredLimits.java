package dev.windrow.store.sql.limit;

import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reader of the pauses, limits and rates of queues, types and concurrency keys. {@link LimitChanges} writes them. */
public final class StoredLimits {
    private StoredLimits() {}

    /** Returns all pauses and limits. */
    public static List<Limits> read(Statements statements) throws SQLException {
        return read(statements, null);
    }

    static List<Limits> read(Statements statements, @Nullable LimitTarget scope) throws SQLException {
        return statements
                .get(Statement.READ_LIMITS)
                .set(1, scope == null ? null : scope.kind().name())
                .set(2, scope == null ? null : scope.name())
                .list(StoredLimits::of);
    }

    /** Returns the pause and limits in the first nine columns. */
    public static Limits of(ResultSet row) throws SQLException {
        return new Limits(scope(row), pause(row), maxRunning(row, 6), rate(row, 7));
    }

    private static Limits.@Nullable Pause pause(ResultSet row) throws SQLException {
        Instant pausedAt = Rows.instantOrNull(row, 3);
        return pausedAt == null ? null : new Limits.Pause(pausedAt, row.getString(4), row.getString(5));
    }

    /** Returns the target in the first two columns. */
    public static LimitTarget scope(ResultSet row) throws SQLException {
        return new LimitTarget(LimitTarget.Kind.valueOf(row.getString(1)), row.getString(2));
    }

    /** Returns the limit in a column, or null. */
    public static @Nullable Integer maxRunning(ResultSet row, int column) throws SQLException {
        Long max = Rows.longOrNull(row, column);
        return max == null ? null : Integer.valueOf(Math.toIntExact(max));
    }

    /** Returns the rate in three columns from this one on, or null. */
    public static @Nullable Rate rate(ResultSet row, int first) throws SQLException {
        Long count = Rows.longOrNull(row, first);
        return count == null
                ? null
                : new Rate(Math.toIntExact(count), Duration.ofMillis(row.getLong(first + 1)), row.getInt(first + 2));
    }
}
