package dev.windrow.store.sql.workflow;

import dev.windrow.JobState;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.workflow.ChainFilter;
import dev.windrow.workflow.ChainInfo;
import dev.windrow.workflow.ChainPage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The reads of chains, and their listing. A chain is found by an index that has no jobs outside of chains. */
public final class StoredChains {
    /** The most chains that are read for a page, because its caller waits for it. */
    private static final int A_PAGE = 20_000;

    private static final int LARGEST_CHUNK = 5_000;

    /** A chain whose first job exists, or does not: then it has no information about it. */
    private record Row(long id, @Nullable Info info) {}

    private record Info(
            long id,
            String type,
            long lastJob,
            String lastType,
            JobState state,
            int length,
            Instant createdAt,
            @Nullable Instant finishedAt)
            implements ChainInfo {}

    private StoredChains() {}

    /** Returns the chain of a job; empty if the job or the first job of its chain does not exist. */
    public static Optional<ChainInfo> chain(Statements statements, long job) throws SQLException {
        return Optional.ofNullable(statements.get(Statement.CHAIN).set(1, job).find(StoredChains::row))
                .map(Row::info);
    }

    /** Returns a page of the chains that match. */
    public static ChainPage list(Statements statements, ChainFilter filter, long before, int limit)
            throws SQLException {
        List<ChainInfo> found = new ArrayList<>();
        long at = before;
        int looked = 0;
        int skipped = 0;
        int chunk = limit + 1;
        while (looked + skipped < A_PAGE) {
            List<Row> rows = statements
                    .get(Statement.LIST_CHAINS)
                    .set(1, at)
                    .set(2, chunk)
                    .list(StoredChains::row);
            for (Row row : rows) {
                if (found.size() == limit) {
                    return new ChainPage(found, at, looked, skipped);
                }
                at = row.id;
                if (row.info == null) {
                    skipped++;
                } else {
                    looked++;
                    if (filter.matches(row.info)) {
                        found.add(row.info);
                    }
                }
            }
            if (rows.size() < chunk) {
                return new ChainPage(found, null, looked, skipped);
            }
            chunk = Math.min(LARGEST_CHUNK, 4 * chunk);
        }
        return new ChainPage(found, at, looked, skipped);
    }

    private static Row row(ResultSet row) throws SQLException {
        long id = row.getLong(1);
        String type = row.getString(2);
        return new Row(
                id,
                type == null
                        ? null
                        : new Info(
                                /* id= */ id,
                                /* type= */ type,
                                /* lastJob= */ row.getLong(4),
                                /* lastType= */ row.getString(5),
                                /* state= */ JobState.valueOf(row.getString(6)),
                                /* length= */ row.getInt(7) + 1,
                                /* createdAt= */ Instant.ofEpochMilli(row.getLong(3)),
                                /* finishedAt= */ Rows.instantOrNull(row, 8)));
    }
}
