package dev.windrow.postgres;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Where claims begin to look in each lane. A claim leaves a dead entry behind in the index, and while some transaction is open that
 * could still see the row, nobody may remove it: a claim that began at the head would step over all that was claimed
 * since, ten minutes' worth of it behind a report that takes ten minutes. So each claim begins behind the last job that was
 * claimed before. Whoever makes a job ready that belongs before the mark moves the mark back: this process itself, after its
 * commit, and others by their notification. And as notifications are only hints, claims begin at the head now and then, as often as keeps
 * that below a twentieth of the time: always, while it costs nothing. Safe for use by many threads, but views are for one thread at a
 * time.
 */
final class Marks {
    /** A claim from the head may follow after so many times as long as the last one took. */
    private static final int PAUSE = 20;
    /** A look from the head that is so quick may always follow one behind the marks that found too little. */
    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /**
     * The place of a job in the order of claims of its lane.
     *
     * @param rank the priority with the other sign
     */
    record Place(int rank, long at, long id) implements Comparable<Place> {
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
    private record Mark(Place place, @Nullable Place lowest) {
        static final Mark HEAD = new Mark(Place.HEAD, null);

        private Mark ready(Place ready) {
            if (ready.compareTo(place) <= 0) {
                return new Mark(ready.before(), null);
            }
            return lowest == null || ready.compareTo(lowest) < 0 ? new Mark(place, ready) : this;
        }

        private Mark viewed() {
            return lowest == null ? this : new Mark(place, null);
        }

        private Mark claimed(Mark viewed, Place last) {
            if (place.compareTo(viewed.place) < 0) {
                return this;
            }
            return new Mark(lowest != null && lowest.compareTo(last) <= 0 ? lowest.before() : last, null);
        }
    }

    private final Map<Integer, AtomicReference<Mark>> lanes = new ConcurrentHashMap<>();
    private volatile long headNanos;
    /** How long looks from the head take: the shorter of the last two, because one may have had to wait for anything. */
    private volatile long headTook;

    private volatile long lastTook;
    private volatile boolean looked;

    private AtomicReference<Mark> mark(int lane) {
        return lanes.computeIfAbsent(lane, key -> new AtomicReference<>(Mark.HEAD));
    }

    /** The marks at one moment, for one claim. */
    final class View {
        private final List<Integer> numbers = new ArrayList<>();
        private final List<Mark> marks = new ArrayList<>();
        private final boolean fromHead;

        private View(List<Integer> known, boolean fromHead, boolean claims) {
            this.fromHead = fromHead;
            for (int lane : known) {
                numbers.add(lane);
                marks.add(
                        claims
                                ? mark(lane).updateAndGet(Mark::viewed)
                                : mark(lane).get());
            }
        }

        boolean isFromHead() {
            return fromHead;
        }

        boolean leavesOut(int lane, Place place) {
            int at = numbers.indexOf(lane);
            return at >= 0 && place.compareTo(marks.get(at).place) <= 0;
        }

        /** Sets four array parameters from this number on. */
        void bind(Query query, int first) throws SQLException {
            int size = fromHead ? 0 : numbers.size();
            Integer[] lane = new Integer[size];
            Integer[] rank = new Integer[size];
            Long[] at = new Long[size];
            Long[] id = new Long[size];
            for (int i = 0; i < size; i++) {
                Place place = marks.get(i).place;
                lane[i] = numbers.get(i);
                rank[i] = place.rank;
                at[i] = place.at;
                id[i] = place.id;
            }
            query.array(first, "int4", lane)
                    .array(first + 1, "int4", rank)
                    .array(first + 2, "int8", at)
                    .array(first + 3, "int8", id);
        }

        /** After the commit of a claim that took the jobs of these lanes up to these places. */
        void claimed(Map<Integer, Place> last) {
            for (int i = 0; i < numbers.size(); i++) {
                Place place = last.get(numbers.get(i));
                Mark viewed = marks.get(i);
                if (place != null) {
                    mark(numbers.get(i)).updateAndGet(mark -> mark.claimed(viewed, place));
                }
            }
        }
    }

    /** The marks of these lanes, or the heads if it is time for that. */
    View view(List<Integer> known) {
        boolean fromHead = !looked || System.nanoTime() - headNanos >= PAUSE * headTook;
        return new View(known, fromHead, true);
    }

    /** The marks of these lanes for a look, which claims nothing and leaves no mark. */
    View look(List<Integer> known) {
        return new View(known, !looked || mayLookAtHead(), false);
    }

    /** Whether a claim that has found too little behind the marks may look from the head at once. */
    boolean mayLookAtHead() {
        return headTook < QUICK_NANOS;
    }

    /** The heads of these lanes, for a claim whose end moves the marks. */
    View heads(List<Integer> known) {
        return new View(known, true, true);
    }

    /** The heads of these lanes, for a look. */
    View lookAtHeads(List<Integer> known) {
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
    void ready(int lane, Place place) {
        mark(lane).updateAndGet(mark -> mark.ready(place));
    }
}
