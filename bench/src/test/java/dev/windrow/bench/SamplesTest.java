package dev.windrow.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SamplesTest {
    @Test
    void theMedianOfThreeIsTheOneInTheMiddle() {
        Samples samples = new Samples();
        samples.add(9);
        samples.add(1);
        samples.add(5);
        assertThat(samples.median()).isEqualTo(5);
        assertThat(samples.percentile(99)).isEqualTo(9);
    }

    @Test
    void aPercentileIsTheValueThatItsShareDoesNotExceed() {
        Samples samples = new Samples();
        IntStream.rangeClosed(1, 200).forEach(samples::add);
        assertThat(samples.percentile(50)).isEqualTo(100);
        assertThat(samples.percentile(99)).isEqualTo(198);
    }

    @Test
    void anEmptySampleHasNoMedian() {
        assertThat(new Samples().median()).isNull();
    }
}
