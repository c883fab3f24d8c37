package dev.windrow.postgres.job;

import dev.windrow.postgres.connection.PostgresQuery;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The claim cursors: the position in each lane after which claims begin. A claim leaves a dead entry in the index. The server cannot remove it
 * while a transaction is open that could still see the row. A claim from the head would step over all jobs that were claimed since: ten minutes of
 * claims behind a report that takes ten minutes. So each claim begins after the last job that was claimed before. If a job becomes ready before the
 * cursor, this process moves the cursor back. It does so after its own commits, and at the notifications of other processes. Notifications are only
 * hints, so some claims begin at the head. They take less than a twentieth of the time. While such a claim is fast, all claims begin at the head.
 * Safe for use by many threads, but a view is for one thread at a time.
 */
public final class ClaimCursors {
    /** The pause between two claims from the head, as a multiple of the duration of the last one. */
    private static final int PAUSE = 20;
    /** The approximate duration of a query after the cursors, for each cursor. */
    private static final long STEP_NANOS = TimeUnit.MICROSECONDS.toNanos(10);
    /** The duration of a query from the head that may always follow a query after the cursors that found too little. */
    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /**
     * The position of a job in the claim order of its lane.
     *
     * @param rank the priority with the other sign
     */
    public record Place(int rank, long at, long id) implements Comparable<Place> {
        static final Place HEAD = new Place(Integer.MIN_VALUE, -1, -1);

        @Override
        public int compareTo(Place other) {
            int byRank = Integer.compare(rank, other.rank);
            int byTime = byRank != 0 ? byRank : Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(id, other.id);
        }

        /** Returns the position right before this one. */
        private Place before() {
            return new Place(rank, at, id - 1);
        }
    }

    /**
     * The cursor of a lane.
     *
     * @param place the position after which claims begin
     * @param lowest the first later position at which a job became ready since the last claim began; that claim may not have seen the job
     */
    private record Cursor(Place place, @Nullable Place lowest) {
        static final Cursor HEAD = new Cursor(Place.HEAD, null);

        private Cursor ready(Place ready) {
            if (ready.compareTo(place) <= 0) {
                return new Cursor(ready.before(), null);
            }
            return lowest == null || ready.compareTo(lowest) < 0 ? new Cursor(place, ready) : this;
        }

        private boolean isHead() {
            return place.equals(Place.HEAD);
        }

        /** Returns the cursor for a claim that begins now; null if it is at the head. */
        private @Nullable Cursor viewed() {
            return isHead() ? null : lowest == null ? this : new Cursor(place, null);
        }

        /** Returns a cursor at the head that keeps the position which a running claim may not have seen; null if there is none. */
        private @Nullable Cursor forgotten() {
            return lowest == null ? null : new Cursor(Place.HEAD, lowest);
        }

        private Cursor claimed(Cursor viewed, Place last) {
            if (place.compareTo(viewed.place) < 0) {
                return this;
            }
            return new Cursor(lowest != null && lowest.compareTo(last) <= 0 ? lowest.before() : last, null);
        }
    }

    /** The cursors by lane. A lane without an entry has its cursor at the head. */
    private final NavigableMap<Integer, Cursor> lanes = new ConcurrentSkipListMap<>();

    private volatile long headNanos;
    /** The duration of queries from the head: the shorter of the last two, because one of them may have waited for something else. */
    private volatile long headTook;

    private volatile long lastTook;
    private volatile boolean looked;
    /** True if a claim from the head may have taken long whose own duration is not known. */
    private volatile boolean unmeasured;

    /** The cursors at one moment, for one claim. */
    public final class View {
        private final Lanes known;
        /** The cursors that are not at the head. */
        private final NavigableMap<Integer, Cursor> claimCursors = new TreeMap<>();

        private boolean fromHead;

        private View(Lanes known, boolean fromHead, boolean claims) {
            this.known = known;
            this.fromHead = fromHead;
            for (Lanes.Run run : known.runs()) {
                lanes.subMap(run.first(), true, run.last(), true).forEach((lane, found) -> {
                    Cursor cursor = claims ? lanes.computeIfPresent(lane, (key, now) -> now.viewed()) : found;
                    if (cursor != null && !cursor.isHead()) {
                        claimCursors.put(lane, cursor);
                    }
                });
            }
        }

        boolean isFromHead() {
            return fromHead;
        }

        public boolean leavesOut(int lane, Place place) {
            Cursor cursor = claimCursors.get(lane);
            return cursor != null && place.compareTo(cursor.place) <= 0;
        }

        /** Resets the cursors to the head if one query from the head is faster than a query after each of them. */
        private View unlessQuicker() {
            if (headTook < STEP_NANOS * claimCursors.size()) {
                claimCursors
                        .keySet()
                        .forEach(lane -> lanes.computeIfPresent(lane, (key, cursor) -> cursor.forgotten()));
                claimCursors.clear();
                fromHead = true;
            }
            return this;
        }

        /** Returns the position after which a query of this lane begins. */
        public Place place(int lane) {
            Cursor cursor = fromHead ? null : claimCursors.get(lane);
            return cursor == null ? Place.HEAD : cursor.place;
        }

        /** Sets four array parameters from this number on: lanes, and the positions in them after which the query begins. */
        void bindCursors(PostgresQuery query, int first) throws SQLException {
            List<Integer> marked = fromHead ? List.of() : List.copyOf(claimCursors.keySet());
            query.array(first, "int4", marked.toArray());
            bindPlaces(query, first + 1, marked.stream().map(this::place).toList());
        }

        /**
         * Sets five array parameters from this number on: the first lanes of runs, the last ones, and the positions in the first ones after which the
         * query begins.
         */
        void bind(PostgresQuery query, int first) throws SQLException {
            List<Integer> from = new ArrayList<>();
            List<Integer> last = new ArrayList<>();
            for (Lanes.Run run : known.runs()) {
                from.add(run.first());
                if (!fromHead) {
                    for (int lane : claimCursors
                            .subMap(run.first(), false, run.last(), true)
                            .keySet()) {
                        last.add(lane - 1);
                        from.add(lane);
                    }
                }
                last.add(run.last());
            }
            query.array(first, "int4", from.toArray()).array(first + 1, "int4", last.toArray());
            bindPlaces(query, first + 2, from.stream().map(this::place).toList());
        }

        /** Moves the cursors after the commit of a claim that took the jobs of these lanes up to these positions. */
        void claimed(Map<Integer, Place> last) {
            last.forEach((lane, place) -> lanes.compute(
                    lane,
                    (key, cursor) -> (cursor == null ? Cursor.HEAD : cursor)
                            .claimed(claimCursors.getOrDefault(lane, Cursor.HEAD), place)));
        }
    }

    /** Sets three array parameters from this number on. */
    public static void bindPlaces(PostgresQuery query, int first, List<Place> places) throws SQLException {
        query.array(first, "int4", places.stream().map(Place::rank).toArray())
                .array(first + 1, "int8", places.stream().map(Place::at).toArray())
                .array(first + 2, "int8", places.stream().map(Place::id).toArray());
    }

    /** Returns the cursors of these lanes, or the heads if a claim from the head is due. */
    View view(Lanes known) {
        boolean fromHead = !looked || System.nanoTime() - headNanos >= PAUSE * headTook;
        return new View(known, fromHead, true).unlessQuicker();
    }

    /** Returns the cursors of these lanes for a query that claims nothing and moves no cursor. */
    View look(Lanes known) {
        return new View(known, !looked || mayLookAtHead(), false);
    }

    /** True if a claim that has found too little after the cursors may query from the head at once. */
    boolean mayLookAtHead() {
        return headTook < QUICK_NANOS;
    }

    /** Returns the heads of these lanes, for a claim whose end moves the cursors. */
    View heads(Lanes known) {
        return new View(known, true, true);
    }

    /** Returns the heads of these lanes, for a query that moves no cursor. */
    View lookAtHeads(Lanes known) {
        return new View(known, true, false);
    }

    /** Notes the duration of a claim or a query. It counts only if it was from the head, because then it has stepped over all dead entries. */
    void looked(View view, long nanos) {
        unmeasured = false;
        if (view.isFromHead()) {
            lookedAtHead(nanos);
        }
    }

    /** Notes the duration of a claim together with statements that were sent before it. If it was long, the duration of the claim is not known. */
    void lookedWithOthers(View view, long nanos) {
        if (nanos < QUICK_NANOS) {
            looked(view, nanos);
        } else {
            unmeasured |= view.isFromHead();
        }
    }

    /** True if the next claim should be sent without other statements, so that its duration is known. */
    public boolean isUnmeasured() {
        return unmeasured;
    }

    /** Notes the duration of a claim or a query from the head. */
    void lookedAtHead(long nanos) {
        headTook = Math.min(nanos, lastTook);
        lastTook = nanos;
        headNanos = System.nanoTime();
        looked = true;
    }

    /** Moves the cursor back for a job that has become ready at this position, so that no claim begins after it. */
    public void ready(int lane, Place place) {
        lanes.compute(lane, (key, cursor) -> (cursor == null ? Cursor.HEAD : cursor).ready(place));
    }
}
