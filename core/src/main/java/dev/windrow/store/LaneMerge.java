package dev.windrow.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of many lanes in the order of their ids, though an index knows only those of each lane in this order. Each lane is read a
 * little ahead of what is taken of it, the further the more was taken: so what is read grows with what is asked for and with how many
 * lanes there are, but not with both multiplied. Of very many lanes only the first id is read at first, and more only of those whose turn is near.
 *
 * @param <E> what a store throws
 */
public final class LaneMerge<E extends Exception> {
    /** So many lanes are merged at once. Before more are, all jobs are gone through for as long as it takes to look into each lane: often that is enough. */
    public static final int FEW = 20;

    /** More are never merged: to look into each of them takes a call as long as to read on. */
    public static final int MOST = 10_000;

    /** Part of what may be read that goes to the first look at all lanes, so that most is left for those that turn out to have many. */
    private static final int FIRST_PART = 4;

    /** So many lanes of which only the first id is known are read on together, when it is the turn of the first of them. */
    private static final int NEAR = 500;

    /**
     * What is asked of a lane.
     *
     * @param lane its number
     * @param beyond only jobs beyond this id: below it, or above it when ids are walked upwards
     * @param limit how many at most
     */
    public record Ask(long lane, long beyond, int limit) {}

    /**
     * What a store answers.
     *
     * @param <E> what it throws
     */
    public interface Source<E extends Exception> {
        /** For each of these, in their order, the next ids of the lane: fewer than it asks for are the last ones. */
        List<List<Long>> next(List<Ask> asks) throws E;
    }

    /** A lane, and what was read of it and not taken yet. */
    private static final class Lane {
        private final long number;
        private final Deque<Long> ahead = new ArrayDeque<>();
        private long readTo;
        private int batch;
        private boolean ended;

        Lane(long number, long start, int batch) {
            this.number = number;
            this.readTo = start;
            this.batch = batch;
        }

        long head() {
            return ahead.element();
        }
    }

    private final Source<E> source;
    private final Collection<Long> lanes;
    private final long start;
    /** The lanes of which something is ahead, by what comes first. */
    private final PriorityQueue<Lane> heads;
    /** Those of them that may have more, and of which half of what was read last is taken. */
    private final Set<Lane> low = new LinkedHashSet<>();
    /** A lane of which it is not known what comes next, so that nothing may be taken of any. */
    private @Nullable Lane dry;

    private boolean begun;
    private int read;

    /**
     * Begins at a place.
     *
     * @param source reads the lanes
     * @param lanes their numbers
     * @param ascending whether from small ids to large ones
     * @param start only jobs beyond this id
     */
    public LaneMerge(Source<E> source, Collection<Long> lanes, boolean ascending, long start) {
        Comparator<Lane> upwards = Comparator.comparingLong(Lane::head);
        this.source = source;
        this.lanes = List.copyOf(lanes);
        this.start = start;
        this.heads = new PriorityQueue<>(ascending ? upwards : upwards.reversed());
    }

    /**
     * The next ids of all lanes together, at least one unless there are no more.
     *
     * @param wanted how many at most, positive
     * @param most how many rows may be read for it, besides one of each lane at the first time: else very many lanes would leave nothing to go
     *     on with; positive
     */
    public List<Long> next(int wanted, int most) throws E {
        List<Long> ids = new ArrayList<>();
        int end = read + most;
        if (!begun) {
            begin(wanted, most);
            end += Math.min(read, lanes.size());
        }
        while (ids.size() < wanted && !isAtEnd()) {
            if (dry != null) {
                // What is here was read for nothing if the walk ends before the first one.
                if (read >= end && !ids.isEmpty()) {
                    break;
                }
                readAhead(dry, wanted - ids.size(), Math.max(1, end - read));
            } else {
                ids.add(take());
            }
        }
        return ids;
    }

    /** Whether there are no more; not known before the first ones were asked for. */
    public boolean isAtEnd() {
        return dry == null && heads.isEmpty();
    }

    /** How many rows were read so far; a lane that had none when it was asked counts as one. */
    public int read() {
        return read;
    }

    private long take() {
        Lane lane = heads.remove();
        long id = lane.ahead.remove();
        if (!lane.ended && lane.ahead.size() == lane.batch / 2) {
            low.add(lane);
        }
        if (!lane.ahead.isEmpty()) {
            heads.add(lane);
        } else if (!lane.ended) {
            dry = lane;
        }
        return id;
    }

    private void begin(int wanted, int most) throws E {
        begun = true;
        int count = Math.max(1, lanes.size());
        // Twice its share of what is wanted: lanes are never quite alike.
        long share = Math.min(wanted, 2L * wanted / count + 1);
        int batch = (int) Math.max(1, Math.min(share, most / FIRST_PART / count));
        read(lanes.stream().map(number -> new Lane(number, start, batch)).toList());
    }

    /**
     * Reads on where nothing is left, twice as much as the last time; and also where half was taken, because lanes that are alike
     * run dry one right after the other; and where nothing but the first id was read, as far as it is one of those that are wanted now.
     */
    private void readAhead(Lane lane, int wanted, int most) throws E {
        List<Lane> asked = new ArrayList<>();
        List<Lane> others = new ArrayList<>(low);
        if (lane.batch == 1) {
            others.addAll(near(Math.min(wanted, NEAR)));
        }
        lane.batch = Math.min(2 * lane.batch, most);
        int rows = lane.batch;
        asked.add(lane);
        others.remove(lane);
        for (Lane other : others) {
            if (rows + 2 * other.batch <= most) {
                other.batch *= 2;
                rows += other.batch;
                asked.add(other);
            }
        }
        asked.forEach(low::remove);
        dry = null;
        read(asked);
    }

    /** Those of the next lanes of which nothing but the first id was read. */
    private List<Lane> near(int most) {
        List<Lane> next = new ArrayList<>();
        while (next.size() < most && !heads.isEmpty()) {
            next.add(heads.remove());
        }
        heads.addAll(next);
        return next.stream().filter(lane -> lane.batch == 1 && !lane.ended).toList();
    }

    private void read(List<Lane> asked) throws E {
        if (asked.isEmpty()) {
            return;
        }
        List<List<Long>> answers = source.next(asked.stream()
                .map(lane -> new Ask(lane.number, lane.readTo, lane.batch))
                .toList());
        for (int i = 0; i < asked.size(); i++) {
            Lane lane = asked.get(i);
            List<Long> ids = answers.get(i);
            boolean waits = lane.ahead.isEmpty();
            read += Math.max(1, ids.size());
            lane.ended = ids.size() < lane.batch;
            lane.ahead.addAll(ids);
            if (!ids.isEmpty()) {
                lane.readTo = ids.get(ids.size() - 1);
            }
            if (waits && !ids.isEmpty()) {
                heads.add(lane);
            }
        }
    }
}
