package dev.windrow.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** The merge of many lanes: its order, and how much it reads for it. */
class LaneMergeTest {
    private final SortedMap<Long, NavigableSet<Long>> lanes = new TreeMap<>();
    private boolean ascending;
    private int reads;
    private int rows;

    private void lane(long number, LongStream ids) {
        NavigableSet<Long> set = new TreeSet<>();
        ids.forEach(set::add);
        lanes.put(number, set);
    }

    private List<List<Long>> next(List<LaneMerge.Ask> asks) {
        reads++;
        List<List<Long>> answers = new ArrayList<>();
        for (LaneMerge.Ask ask : asks) {
            assertThat(ask.limit()).isPositive();
            NavigableSet<Long> ids = lanes.get(ask.lane());
            List<Long> answer = (ascending
                            ? ids.tailSet(ask.beyond(), false)
                            : ids.headSet(ask.beyond(), false).descendingSet())
                    .stream().limit(ask.limit()).toList();
            rows += Math.max(1, answer.size());
            answers.add(answer);
        }
        return answers;
    }

    private LaneMerge<RuntimeException> merge() {
        return new LaneMerge<>(this::next, lanes.keySet(), ascending, ascending ? 0 : Long.MAX_VALUE);
    }

    private List<Long> all() {
        TreeSet<Long> all = new TreeSet<>();
        lanes.values().forEach(all::addAll);
        List<Long> ids = new ArrayList<>(all);
        if (!ascending) {
            Collections.reverse(ids);
        }
        return ids;
    }

    /** Takes all, and answers them. */
    private List<Long> taken(LaneMerge<RuntimeException> merge, int wanted, int most) {
        List<Long> ids = new ArrayList<>();
        do {
            int before = merge.read();
            List<Long> some = merge.next(wanted, most);
            assertThat(some).hasSizeLessThanOrEqualTo(wanted);
            assertThat(merge.read() - before)
                    .as("rows of one call")
                    .isLessThanOrEqualTo(most + (ids.isEmpty() ? lanes.size() : 0));
            assertThat(!some.isEmpty() || merge.isAtEnd())
                    .as("none are the end")
                    .isTrue();
            ids.addAll(some);
        } while (!merge.isAtEnd());
        return ids;
    }

    @Test
    void anyLanesAreMergedInOrderInEitherDirectionWhateverIsAskedFor(TestReporter reporter) {
        long seed = Long.getLong("windrow.seed", new Random().nextLong(1_000_000_000));
        reporter.publishEntry("windrow.seed", Long.toString(seed));
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            lanes.clear();
            int count = random.nextInt(40);
            int jobs = random.nextInt(2000);
            double skew = 1 + 4 * random.nextDouble();
            for (long lane = 1; lane <= count; lane++) {
                lanes.put(lane, new TreeSet<>());
            }
            for (long id = 1; count > 0 && id <= jobs; id++) {
                lanes.get(1 + (long) (count * Math.pow(random.nextDouble(), skew)))
                        .add(id);
            }
            ascending = random.nextBoolean();
            reads = 0;
            rows = 0;
            LaneMerge<RuntimeException> merge = merge();
            assertThat(taken(merge, 1 + random.nextInt(500), 1 + random.nextInt(2000)))
                    .as("round %d", round)
                    .isEqualTo(all());
            assertThat(merge.read()).as("counts what it reads").isEqualTo(rows);
        }
    }

    @Test
    void manyLanesCostLittleMoreThanOneRowEach() {
        for (long lane = 1; lane <= 1000; lane++) {
            long first = lane;
            lane(lane, LongStream.range(0, 100).map(i -> first + 1000 * i));
        }
        LaneMerge<RuntimeException> merge = merge();
        assertThat(merge.next(50, 20_000)).isEqualTo(all().subList(0, 50));
        assertThat(rows).isLessThanOrEqualTo(2000);
    }

    @Test
    void lanesThatAreAlikeAreReadOnTogether() {
        for (long lane = 1; lane <= 1000; lane++) {
            long first = lane;
            lane(lane, LongStream.range(0, 100).map(i -> first + 1000 * i));
        }
        LaneMerge<RuntimeException> merge = merge();
        assertThat(taken(merge, 500, 20_000)).isEqualTo(all());
        assertThat(reads).as("not one for each lane and time").isLessThan(1000);
        assertThat(rows).as("each row once, and the ends of lanes").isLessThanOrEqualTo(101_000);
    }

    @Test
    void aFullPageIsFoundAmongMoreLanesThanRowsMayBeRead() {
        for (long lane = 1; lane <= 10_000; lane++) {
            long first = lane;
            lane(lane, LongStream.range(0, 5).map(i -> first + 10_000 * i));
        }
        LaneMerge<RuntimeException> merge = merge();
        assertThat(merge.next(201, 9_000)).isEqualTo(all().subList(0, 201));
        assertThat(rows)
                .as("one of each lane, and some of those that come first")
                .isLessThanOrEqualTo(10_500);
        assertThat(reads).as("not one for each lane that has a job on the page").isLessThan(5);
    }

    @Test
    void aLaneThatHasAllThatIsNewIsReadOnAlone() {
        for (long lane = 1; lane <= 1000; lane++) {
            long id = lane;
            lane(lane, LongStream.of(id, 2000 + id));
        }
        lane(1001, LongStream.range(10_000, 30_000));
        LaneMerge<RuntimeException> merge = merge();
        List<Long> ids = merge.next(20_000, 20_000);
        assertThat(ids).hasSizeGreaterThan(10_000).isEqualTo(all().subList(0, ids.size()));
        assertThat(rows).as("and one of each lane").isLessThanOrEqualTo(20_000 + 1001);
        assertThat(reads).isLessThan(20);
    }

    @Test
    void withoutLanesThereIsNothing() {
        LaneMerge<RuntimeException> merge = merge();
        assertThat(merge.next(50, 100)).isEmpty();
        assertThat(merge.isAtEnd()).isTrue();
        assertThat(reads).isZero();
    }
}
