package dev.windrow.sqlite.job;

import dev.windrow.sqlite.writer.Names;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.job.Claim;
import dev.windrow.store.sql.connection.JsonText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;

/**
 * A lane that a claim may take jobs from: it is open, and has ready jobs.
 *
 * @param limited true if a limit or a rate concerns it
 * @param best its best job
 */
public record ReadyLane(long id, Names.Lane name, boolean limited, Candidate best) {
    /** A job that may be claimed, in claim order. */
    public record Candidate(long id, long lane, int priority, long scheduledAt) implements Comparable<Candidate> {
        @Override
        public int compareTo(Candidate other) {
            int order = Integer.compare(other.priority, priority);
            order = order != 0 ? order : Long.compare(scheduledAt, other.scheduledAt);
            return order != 0 ? order : Long.compare(id, other.id);
        }
    }

    /** The number of unwanted lanes in a row after which a claim searches for the next wanted one. */
    private static final int SKIPPED = 32;

    /**
     * Returns the lanes that a claim may take jobs from, at most {@code max}. Reads all lanes with ready jobs, or not many more than the claim wants,
     * if these are fewer.
     */
    static List<ReadyLane> of(SqliteTransaction tx, Claim request, int max) throws SQLException {
        List<ReadyLane> ready = new ArrayList<>();
        NavigableSet<Long> wanted = null;
        Long from = Long.MIN_VALUE;
        while (from != null) {
            long last = from;
            from = null;
            try (ResultSet rows =
                    tx.statements().get(JobSql.READY_LANES).set(1, last).rows()) {
                int skipped = 0;
                while (ready.size() < max && skipped < SKIPPED && rows.next()) {
                    last = rows.getLong(1);
                    Names.Lane name = tx.names.laneOf(last);
                    if (rows.getInt(4) >= request.minPriority() && name.isOf(request.queues(), request.types())) {
                        ready.add(new ReadyLane(last, name, rows.getBoolean(2), candidate(rows, last)));
                        skipped = 0;
                    } else {
                        skipped++;
                    }
                }
                if (skipped == SKIPPED) {
                    wanted = wanted == null ? tx.names.lanes(request.queues(), request.types()) : wanted;
                    from = wanted.higher(last);
                }
            }
        }
        return ready;
    }

    private static Candidate candidate(ResultSet rows, long lane) throws SQLException {
        return new Candidate(rows.getLong(3), lane, rows.getInt(4), rows.getLong(5));
    }

    /** Returns the numbers of lanes, as a JSON array. */
    public static String array(List<ReadyLane> lanes) {
        return JsonText.array(lanes.stream().map(ReadyLane::id).toList());
    }
}
