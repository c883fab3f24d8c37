package dev.windrow.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.RetryPolicy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetryPoliciesTest {
    @Test
    void everyPolicyIsReadFromItsStoredForm() {
        for (RetryPolicy policy : List.of(
                RetryPolicy.DEFAULT,
                RetryPolicy.exponential(Duration.ofMillis(1)),
                new RetryPolicy.Exponential(Duration.ofMillis(1), 1.0, Duration.ofMillis(1), 1.0),
                new RetryPolicy.Exponential(Duration.ofDays(1), 1000, Duration.ofDays(365), 1e-7),
                RetryPolicy.fixed(Duration.ZERO),
                RetryPolicy.fixed(Duration.ofDays(1)),
                RetryPolicy.delays(Duration.ZERO, Duration.ofSeconds(1), Duration.ofHours(2)))) {
            assertThat(RetryPolicies.parse(RetryPolicies.encode(policy)))
                    .as(policy.toString())
                    .isEqualTo(policy);
        }
        assertThat(RetryPolicies.encode(RetryPolicy.DEFAULT)).isEqualTo("exponential(1000,4.0,3600000,0.2)");
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
            assertThatThrownBy(() -> RetryPolicies.parse(text))
                    .as(text.length() > 50 ? "long" : text)
                    .isInstanceOf(InvalidRequestException.class)
                    .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(400));
        }
    }
}
