package dev.windrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.payload.Json;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RetryRulesTest {
    private static final RetryPolicy SOON = RetryPolicy.fixed(Duration.ofSeconds(1));
    private static final RetryPolicy LATE = RetryPolicy.fixed(Duration.ofDays(1));

    @Test
    void anExceptionGetsTheFirstMatchingCodeForItOrItsCause() {
        RetryRules rules = RetryRules.of(SOON)
                .code(FileNotFoundException.class, "RESOURCE:MISSING")
                .code(IOException.class, "DEPENDENCY:IO");
        assertThat(rules.codeOf(new FileNotFoundException())).isEqualTo("RESOURCE:MISSING");
        assertThat(rules.codeOf(new IOException())).isEqualTo("DEPENDENCY:IO");
        assertThat(rules.codeOf(new UncheckedIOException(new FileNotFoundException())))
                .isEqualTo("RESOURCE:MISSING");
        assertThat(rules.codeOf(new IllegalStateException())).isEqualTo(ErrorCodes.INTERNAL_EXCEPTION);
        assertThat(rules.codeOf(JobFailure.retryable("A:B", null).causedBy(new IOException())))
                .isEqualTo("A:B");
    }

    @Test
    void theExceptionItselfPrecedesItsCause() {
        RetryRules rules = RetryRules.of(SOON).never(IOException.class).retry(UncheckedIOException.class, LATE);
        assertThat(rules.policyFor(new UncheckedIOException(new IOException()), "A:B"))
                .isEqualTo(LATE);
        assertThat(rules.policyFor(new IllegalStateException(new IOException()), "A:B"))
                .isNull();
        assertThat(rules.policyFor(new IllegalStateException(), "A:B")).isEqualTo(SOON);
        assertThat(rules.policyFor(null, "A:B")).isEqualTo(SOON);
    }

    @Test
    void aCycleOfCausesEnds() {
        IllegalStateException one = new IllegalStateException();
        IllegalStateException two = new IllegalStateException(one);
        one.initCause(two);
        assertThat(RetryRules.of(SOON).never(IOException.class).policyFor(one, "A:B"))
                .isEqualTo(SOON);
    }

    @Test
    void rulesNameCodesOneByOneOrByCategory() {
        RetryRules rules = RetryRules.of(SOON).never("A:B").retry("A:*", LATE);
        assertThat(rules.policyFor(null, "A:B")).isNull();
        assertThat(rules.policyFor(null, "A:C")).isEqualTo(LATE);
        assertThat(rules.policyFor(null, "AA:C")).isEqualTo(SOON);
        for (String bad : new String[] {"", "*", "A", "A:B*", "*:B", "a:*", "A:" + "B".repeat(99)}) {
            assertThatThrownBy(() -> RetryRules.of(SOON).never(bad))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("'" + bad + "'")
                    .hasMessageContaining("CATEGORY:*");
        }
        assertThatThrownBy(() -> RetryRules.of(SOON).code(IOException.class, "A:*"))
                .isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void rulesAreValues() {
        RetryRules none = RetryRules.of(SOON);
        RetryRules some = none.never(IOException.class);
        assertThat(none.policyFor(new IOException(), "A:B")).isEqualTo(SOON);
        assertThat(some.defaultPolicy()).isEqualTo(SOON);
        JobType<Json, Json> type = JobType.raw("t").withRetry(some);
        assertThat(type.withMaxAttempts(7).withQueue("q").retry()).isSameAs(some);
        assertThat(type.withRetry(LATE).retry().defaultPolicy()).isEqualTo(LATE);
    }

    @Test
    void aCustomPolicyStaysWithItsType() {
        RetryPolicy own = RetryPolicy.custom((used, random) -> Duration.ofSeconds(used));
        assertThat(own.delay(3, new java.util.Random(1))).isEqualTo(Duration.ofSeconds(3));
        assertThatThrownBy(() -> JobType.raw("t").job(null).withRetry(own))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("withRetry");
    }

    @Test
    void outcomeExceptionsHaveNoStackTraceAndCheckedRanges() {
        assertThat(JobSnooze.after(Duration.ZERO).getStackTrace()).isEmpty();
        assertThat(JobSnooze.after(Duration.ofMinutes(5))).hasMessage("again after 5m");
        assertThat(JobCancel.because("no").getStackTrace()).isEmpty();
        assertThat(JobPark.forAtMost(Duration.ofHours(2))).hasMessage("waits for at most 2h");
        assertThat(JobPark.forAtMost(Duration.ofHours(2)).getStackTrace()).isEmpty();
        assertThatThrownBy(() -> JobPark.forAtMost(Duration.ZERO))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("park 0s is not allowed: 1ms to 3650d");
        assertThatThrownBy(() -> JobSnooze.after(Duration.ofMillis(-1)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("snooze -1ms is not allowed: 0s to 3650d");
        assertThatThrownBy(() -> JobSnooze.after(Duration.ofDays(3651))).isInstanceOf(InvalidRequestException.class);
        for (Instant late : new Instant[] {Instant.MAX, Instant.parse("+10000-01-01T00:00:00Z")}) {
            assertThatThrownBy(() -> JobSnooze.until(late)).isInstanceOf(InvalidRequestException.class);
            assertThatThrownBy(() -> JobFailure.retryAt("A:B", late))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("retry at");
        }
    }
}
