package dev.windrow.store.sql.limit;

import dev.windrow.JobState;
import dev.windrow.limit.KeyInfo;
import dev.windrow.limit.KeyList;
import dev.windrow.limit.Limits;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The concurrency keys with waiting jobs, a pause or a limit. */
public final class KeyLists {
    private KeyLists() {}

    /** Returns the keys with the most waiting jobs. */
    public static KeyList read(Statements statements, int limit) throws SQLException {
        List<KeyInfo> counted = new ArrayList<>();
        int found = 0;
        boolean atLeast = false;
        try (ResultSet rows = statements
                .get(Statement.LIST_KEYS)
                .set(1, limit)
                .set(2, KeyList.MAX_LOOKED)
                .set(3, KeyList.MAX_RANKED)
                .set(4, KeyInfo.MAX_COUNTED)
                .rows()) {
            while (rows.next()) {
                counted.add(key(rows));
                found = rows.getInt(13);
                atLeast = rows.getBoolean(14);
            }
        }
        Map<String, List<KeyInfo.Holder>> holders = holders(
                statements,
                counted.stream().filter(key -> key.held() > 0).map(KeyInfo::key).toList());
        List<KeyInfo> keys = counted.stream()
                .map(key -> new KeyInfo(
                        key.limits(),
                        key.permits(),
                        key.waiting(),
                        key.held(),
                        holders.getOrDefault(key.key(), List.of())))
                .toList();
        return new KeyList(keys, found, atLeast);
    }

    private static KeyInfo key(ResultSet row) throws SQLException {
        Limits limits = StoredLimits.of(row);
        Long own = Rows.longOrNull(row, 12);
        return new KeyInfo(
                limits,
                least(limits.maxRunning(), own == null || own == 0 ? null : Integer.valueOf(Math.toIntExact(own))),
                row.getInt(10),
                row.getInt(11),
                List.of());
    }

    private static @Nullable Integer least(@Nullable Integer one, @Nullable Integer other) {
        return Stream.of(one, other)
                .filter(Objects::nonNull)
                .min(Integer::compare)
                .orElse(null);
    }

    private static Map<String, List<KeyInfo.Holder>> holders(Statements statements, List<String> keys)
            throws SQLException {
        Map<String, List<KeyInfo.Holder>> holders = new HashMap<>();
        if (keys.isEmpty()) {
            return holders;
        }
        try (ResultSet rows = statements
                .get(Statement.PERMIT_HOLDERS)
                .texts(1, keys)
                .set(2, KeyInfo.MAX_HOLDERS)
                .rows()) {
            while (rows.next()) {
                holders.computeIfAbsent(rows.getString(1), key -> new ArrayList<>())
                        .add(new KeyInfo.Holder(
                                rows.getLong(2), JobState.valueOf(rows.getString(3)), Rows.instantOrNull(rows, 4)));
            }
        }
        return holders;
    }
}
