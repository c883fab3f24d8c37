package dev.windrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
    private final Random random = new Random(42);

    @Test
    void exponentialGrowsByItsFactorUpToItsMaximum() {
        RetryPolicy policy = new RetryPolicy.Exponential(Duration.ofSeconds(1), 4.0, Duration.ofMinutes(1), 0.0);
        assertThat(policy.delay(1, random)).isEqualTo(Duration.ofSeconds(1));
        assertThat(policy.delay(2, random)).isEqualTo(Duration.ofSeconds(4));
        assertThat(policy.delay(3, random)).isEqualTo(Duration.ofSeconds(16));
        assertThat(policy.delay(4, random)).isEqualTo(Duration.ofMinutes(1));
        assertThat(policy.delay(1000, random)).isEqualTo(Duration.ofMinutes(1));
        assertThat(policy.delay(Integer.MAX_VALUE, random)).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void jitterStaysWithinItsShareAndSpreads() {
        RetryPolicy policy = new RetryPolicy.Exponential(Duration.ofSeconds(10), 1.0, Duration.ofSeconds(10), 0.2);
        long least = Long.MAX_VALUE;
        long max = 0;
        for (int i = 0; i < 10_000; i++) {
            long millis = policy.delay(1, random).toMillis();
            assertThat(millis).isBetween(8000L, 12_000L);
            least = Math.min(least, millis);
            max = Math.max(max, millis);
        }
        assertThat(least).isLessThan(8100);
        assertThat(max).isGreaterThan(11_900);
    }

    @Test
    void theDefaultIsFromOneSecondToOneHour() {
        assertThat(RetryPolicy.DEFAULT.delay(1, random).toMillis()).isBetween(800L, 1200L);
        assertThat(RetryPolicy.DEFAULT.delay(100, random).toMillis()).isBetween(2_880_000L, 4_320_000L);
    }

    @Test
    void fixedIsAlwaysTheSame() {
        RetryPolicy policy = RetryPolicy.fixed(Duration.ofSeconds(3));
        assertThat(policy.delay(1, random)).isEqualTo(policy.delay(9, random)).isEqualTo(Duration.ofSeconds(3));
        assertThat(RetryPolicy.fixed(Duration.ZERO).delay(1, random)).isZero();
    }

    @Test
    void theLastOfSeveralDelaysAppliesToAllFurtherRetries() {
        RetryPolicy policy = RetryPolicy.delays(Duration.ofSeconds(1), Duration.ofSeconds(5));
        assertThat(policy.delay(1, random)).isEqualTo(Duration.ofSeconds(1));
        assertThat(policy.delay(2, random)).isEqualTo(Duration.ofSeconds(5));
        assertThat(policy.delay(3, random)).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void valuesOutOfRangeAreRefused() {
        Duration second = Duration.ofSeconds(1);
        List<ThrowingCallable> wrong = List.of(
                () -> RetryPolicy.exponential(Duration.ZERO),
                () -> RetryPolicy.exponential(Duration.ofHours(2)),
                () -> new RetryPolicy.Exponential(second, 0.9, second, 0),
                () -> new RetryPolicy.Exponential(second, Double.NaN, second, 0),
                () -> new RetryPolicy.Exponential(second, 1001, second, 0),
                () -> new RetryPolicy.Exponential(second, 2, second, -0.1),
                () -> new RetryPolicy.Exponential(second, 2, second, 1.1),
                () -> new RetryPolicy.Exponential(second, 2, second, Double.NaN),
                () -> RetryPolicy.fixed(second.negated()),
                RetryPolicy::delays,
                () -> RetryPolicy.delays(second, second.negated()));
        for (ThrowingCallable each : wrong) {
            assertThatThrownBy(each).isInstanceOf(InvalidRequestException.class);
        }
    }

    @Test
    void everyPolicyIsReadFromItsTextForm() {
        for (RetryPolicy policy : List.of(
                RetryPolicy.DEFAULT,
                RetryPolicy.exponential(Duration.ofMillis(1)),
                new RetryPolicy.Exponential(Duration.ofMillis(1), 1.0, Duration.ofMillis(1), 1.0),
                new RetryPolicy.Exponential(Duration.ofDays(1), 1000, Duration.ofDays(365), 1e-7),
                RetryPolicy.fixed(Duration.ZERO),
                RetryPolicy.fixed(Duration.ofDays(1)),
                RetryPolicy.delays(Duration.ZERO, Duration.ofSeconds(1), Duration.ofHours(2)))) {
            assertThat(RetryPolicy.parse(policy.text())).as(policy.toString()).isEqualTo(policy);
        }
        assertThat(RetryPolicy.DEFAULT.text()).isEqualTo("exponential(1000,4.0,3600000,0.2)");
    }

    @Test
    void aTextThatIsNotAPolicyIsRefusedWithTheText() {
        for (String text : List.of(
                "",
                "never",
                "fixed",
                "fixed()",
                "fixed(1,2)",
                "fixed(1s)",
                "fixed(-1)",
                "fixed(99999999999999999999)",
                "fixed(1) ",
                "exponential(1000)",
                "exponential(1000,4.0,3600000,2)",
                "exponential(1000,0.5,3600000,0.2)",
                "exponential(0,4.0,3600000,0.2)",
                "exponential(1000,1e999,3600000,0.2)",
                "delays(1,)",
                "delays(,)",
                "delays(1,-2)",
                "x".repeat(100_000))) {
            assertThatThrownBy(() -> RetryPolicy.parse(text))
                    .as(text.length() > 50 ? "long" : text)
                    .isInstanceOf(InvalidRequestException.class)
                    .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(400));
        }
    }

    @Test
    void aCustomPolicyHasNoTextForm() {
        assertThatThrownBy(() ->
                        RetryPolicy.custom((used, unused) -> Duration.ZERO).text())
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("custom retry policy");
    }
}
