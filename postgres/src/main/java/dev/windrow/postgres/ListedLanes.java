package dev.windrow.postgres;

import dev.windrow.store.LaneMerge;
import dev.windrow.store.sql.Listings;
import dev.windrow.store.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lanes as listings read them: several by one statement. */
final class ListedLanes implements Listings.Lanes {
    /** Candidates that are read at once at most. */
    private static final int LARGEST_CHUNK = 50_000;
    /** Candidates that one read has the time for: it has 5 s, and takes less than one. */
    private static final int A_READ = 5 * LARGEST_CHUNK;
    /** Jobs of a page that are read at once: what they depend on is read with them. */
    private static final int PART = 50;

    static final Listings LISTINGS =
            new Listings(new ListedLanes(), JobReads::read, new Listings.Sizes(LARGEST_CHUNK, A_READ, PART));

    private ListedLanes() {}

    /** No more than are needed to see that they are too many. */
    @Override
    public List<Long> of(Statements statements, @Nullable String queue, @Nullable String type) throws SQLException {
        return statements
                .get(ListSql.LANES)
                .set(1, queue)
                .set(2, type)
                .set(3, LaneMerge.MOST + 1L)
                .longs();
    }

    @Override
    public List<List<Long>> next(Statements statements, boolean ascending, List<LaneMerge.Ask> asks)
            throws SQLException {
        List<List<Long>> answers = new ArrayList<>(asks.size());
        asks.forEach(ask -> answers.add(new ArrayList<>()));
        try (ResultSet rows = statements
                .get(ascending ? ListSql.LIST_LANES_UP : ListSql.LIST_LANES)
                .ids(1, asks.stream().map(LaneMerge.Ask::lane).toList())
                .ids(2, asks.stream().map(LaneMerge.Ask::beyond).toList())
                .ids(3, asks.stream().map(ask -> (long) ask.limit()).toList())
                .rows()) {
            while (rows.next()) {
                answers.get(rows.getInt(1) - 1).add(rows.getLong(2));
            }
        }
        return answers;
    }
}
