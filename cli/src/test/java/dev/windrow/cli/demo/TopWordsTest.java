package dev.windrow.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TopWordsTest {
    @Test
    void mostFrequentComesFirstThenTheAlphabet() {
        TopWords words = new TopWords(100);
        List.of("b", "a", "c", "c", "d").forEach(words::add);
        assertThat(words.top(3)).containsExactly(Map.entry("c", 2L), Map.entry("a", 1L), Map.entry("b", 1L));
    }

    @Test
    void addsTheCountsAndTheMissingCountOfAnother() {
        TopWords words = new TopWords(100);
        words.add("a");
        words.addAll(Map.of("a", 2L, "b", 5L), 3);
        assertThat(words.missing()).isEqualTo(3);
        assertThat(words.top(10)).containsExactly(Map.entry("b", 5L), Map.entry("a", 3L));
    }

    @Test
    void aCountIsNeverTooHighAndTooLowByAtMostTheMissingCount() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        TopWords words = new TopWords(20);
        Map<String, Long> exact = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            String word = "w" + (int) Math.abs(random.nextGaussian() * 60);
            words.add(word);
            exact.merge(word, 1L, Long::sum);
        }
        long missing = words.missing();
        assertThat(missing).isPositive();
        words.top(10)
                .forEach((word, count) -> assertThat(exact.get(word))
                        .as("%s, seed %d", word, seed)
                        .isBetween(count, count + missing));
    }
}
