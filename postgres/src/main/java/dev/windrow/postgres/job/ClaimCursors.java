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
 * Where claims begin to look in each lane. A claim leaves a dead entry behind in the index, and while some transaction is open that
 * could still see the row, nobody may remove it: a claim that began at the head would step over all that was claimed
 * since, ten minutes' worth of it behind a report that takes ten minutes. So each claim begins behind the last job that was
 * claimed before. Whoever makes a job ready that belongs before the cursor moves the cursor back: this process itself, after its
 * commit, and others by their notification. And as notifications are only hints, claims begin at the head now and then, as often as keeps
 * that below a twentieth of the time: always, while it costs nothing. Safe for use by many threads, but views are for one thread at a
 * time.
 */
public final class ClaimCursors {
    /** A claim from the head may follow after so many times as long as the last one took. */
    private static final int PAUSE = 20;
    /** A look behind the cursors takes so long for each of them, about. */
    private static final long STEP_NANOS = TimeUnit.MICROSECONDS.toNanos(10);
    /** A look from the head that is so quick may always follow one behind the cursors that found too little. */
    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /**
     * The place of a job in the order of claims of its lane.
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

        /** The place right before this one. */
        private Place before() {
            return new Place(rank, at, id - 1);
        }
    }

    /**
     * Where claims of a lane begin.
     *
     * @param place behind which
     * @param lowest the first place behind it where a job was said to be ready since the last claim began, which that claim may not have
     *     seen
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

        /** Null: it says nothing. */
        private @Nullable Cursor viewed() {
            return isHead() ? null : lowest == null ? this : new Cursor(place, null);
        }

        /** The head, with what a claim that is under way may not have seen. */
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

    /** A lane without one has its cursor at the head. */
    private final NavigableMap<Integer, Cursor> lanes = new ConcurrentSkipListMap<>();

    private volatile long headNanos;
    /** How long looks from the head take: the shorter of the last two, because one may have had to wait for anything. */
    private volatile long headTook;

    private volatile long lastTook;
    private volatile boolean looked;

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

        /** Forgets the cursors if a look from the head is quicker than one behind each of them. */
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

        /** The place behind which a look into this lane begins. */
        public Place place(int lane) {
            Cursor cursor = fromHead ? null : claimCursors.get(lane);
            return cursor == null ? Place.HEAD : cursor.place;
        }

        /** Sets four array parameters from this number on: lanes, and the places in them behind which to look. */
        void bindCursors(PostgresQuery query, int first) throws SQLException {
            List<Integer> marked = fromHead ? List.of() : List.copyOf(claimCursors.keySet());
            query.array(first, "int4", marked.toArray());
            bindPlaces(query, first + 1, marked.stream().map(this::place).toList());
        }

        /** Sets five array parameters from this number on: the first lanes, the last ones, and the places in the first ones behind which to look. */
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

        /** After the commit of a claim that took the jobs of these lanes up to these places. */
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

    /** The cursors of these lanes, or the heads if it is time for that. */
    View view(Lanes known) {
        boolean fromHead = !looked || System.nanoTime() - headNanos >= PAUSE * headTook;
        return new View(known, fromHead, true).unlessQuicker();
    }

    /** The cursors of these lanes for a look, which claims nothing and leaves no cursor. */
    View look(Lanes known) {
        return new View(known, !looked || mayLookAtHead(), false);
    }

    /** True if a claim that has found too little behind the cursors may look from the head at once. */
    boolean mayLookAtHead() {
        return headTook < QUICK_NANOS;
    }

    /** The heads of these lanes, for a claim whose end moves the cursors. */
    View heads(Lanes known) {
        return new View(known, true, true);
    }

    /** The heads of these lanes, for a look. */
    View lookAtHeads(Lanes known) {
        return new View(known, true, false);
    }

    /** A claim or a look has taken so long, which says something if it was from the head: it has stepped over all that is dead there. */
    void looked(View view, long nanos) {
        if (view.isFromHead()) {
            lookedAtHead(nanos);
        }
    }

    /** A claim or a look from the head has taken so long. */
    void lookedAtHead(long nanos) {
        headTook = Math.min(nanos, lastTook);
        lastTook = nanos;
        headNanos = System.nanoTime();
        looked = true;
    }

    /** A job has become ready at this place: claims must not begin behind it. */
    public void ready(int lane, Place place) {
        lanes.compute(lane, (key, cursor) -> (cursor == null ? Cursor.HEAD : cursor).ready(place));
    }
}
