package dev.windrow.sqlite;

import dev.windrow.store.LaneMerge;
import dev.windrow.store.sql.Listings;
import dev.windrow.store.sql.Rows;
import dev.windrow.store.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lanes as listings read them: one by one, but for the first look into very many. */
final class ListedLanes implements Listings.Lanes {
    /** Candidates that one read has the time for: it has 5 s, and these take less than one. */
    private static final int A_READ = 20_000;

    private final Names names;

    private ListedLanes(Names names) {
        this.names = names;
    }

    /** Listings of a process that knows these names. */
    static Listings listings(Names names) {
        return new Listings(new ListedLanes(names), JobReads::read, new Listings.Sizes(A_READ, A_READ, 1));
    }

    @Override
    public List<Long> of(Statements statements, @Nullable String queue, @Nullable String type) throws SQLException {
        names.refresh(statements);
        return names.lanes(queue == null ? null : Set.of(queue), type == null ? null : Set.of(type));
    }

    @Override
    public List<List<Long>> next(Statements statements, boolean ascending, List<LaneMerge.Ask> asks)
            throws SQLException {
        if (asks.size() > LaneMerge.FEW && asks.stream().allMatch(ask -> ask.limit() == 1)) {
            return heads(statements, ascending, asks);
        }
        List<List<Long>> answers = new ArrayList<>(asks.size());
        for (LaneMerge.Ask ask : asks) {
            answers.add(statements
                    .get(ascending ? ListSql.LIST_LANE_UP : ListSql.LIST_LANE)
                    .set(1, ask.beyond())
                    .set(2, ask.limit())
                    .set(3, ask.lane())
                    .longs());
        }
        return answers;
    }

    /** Looks for the first time into very many lanes, all beyond the same id. */
    private static List<List<Long>> heads(Statements statements, boolean ascending, List<LaneMerge.Ask> asks)
            throws SQLException {
        List<List<Long>> answers = new ArrayList<>(Collections.nCopies(asks.size(), List.of()));
        try (ResultSet rows = statements
                .get(ascending ? ListSql.LIST_HEADS_UP : ListSql.LIST_HEADS)
                .set(1, asks.get(0).beyond())
                .ids(2, asks.stream().map(LaneMerge.Ask::lane).toList())
                .rows()) {
            while (rows.next()) {
                Long head = Rows.longOrNull(rows, 2);
                if (head != null) {
                    answers.set(rows.getInt(1), List.of(head));
                }
            }
        }
        return answers;
    }
}
