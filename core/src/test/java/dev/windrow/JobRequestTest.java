package dev.windrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.workflow.Parent;
import dev.windrow.workflow.ParentPolicy;
import dev.windrow.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class JobRequestTest {
    private static final JobType<String, Integer> TYPE = JobType.of("mail.send", String.class, Integer.class);

    private static void refused(ThrowingCallable wrong, String named) {
        assertThatThrownBy(wrong).isInstanceOf(InvalidRequestException.class).hasMessageContaining(named);
    }

    @Test
    void aTypeHasDefaults() {
        assertThat(TYPE.queue()).isEqualTo("default");
        assertThat(TYPE.maxAttempts()).isEqualTo(3);
        assertThat(TYPE.timeout()).isNull();
        assertThat(TYPE.retry().defaultPolicy()).isEqualTo(RetryPolicy.DEFAULT);
        assertThat(TYPE.aliases()).isEmpty();
        assertThat(TYPE.input()).isEqualTo(String.class);
        assertThat(TYPE.output()).isEqualTo(Integer.class);
        assertThat(JobType.of("x", String.class).output()).isEqualTo(Void.class);
        assertThat(TYPE).hasToString("mail.send");
    }

    @Test
    void namesOfTypesAreChecked() {
        for (String wrong : List.of("", "1a", "a b", "a/b", ".a", "ä", "a\n", "a".repeat(101))) {
            refused(() -> JobType.raw(wrong), "job type");
        }
        assertThat(JobType.raw("a".repeat(100)).name()).hasSize(100);
        for (String right : List.of("a0._-", "MY_JOB_TYPE", "sendEmail", "image.resize", "A")) {
            assertThat(JobType.raw(right).name()).isEqualTo(right);
        }
    }

    @Test
    void aTypeIsChangedByCopies() {
        JobType<String, Integer> other = TYPE.withQueue("mail")
                .withMaxAttempts(5)
                .withTimeout(Duration.ofSeconds(3))
                .withRetry(RetryPolicy.fixed(Duration.ZERO))
                .withAliases("old.mail", "older.mail");
        assertThat(other.queue()).isEqualTo("mail");
        assertThat(other.maxAttempts()).isEqualTo(5);
        assertThat(other.timeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(other.aliases()).containsExactlyInAnyOrder("old.mail", "older.mail");
        assertThat(other.withAliases("oldest").aliases()).containsExactlyInAnyOrder("old.mail", "older.mail", "oldest");
        assertThat(TYPE.queue()).isEqualTo("default");
        refused(() -> TYPE.withQueue("no spaces"), "no spaces");
        refused(() -> TYPE.withQueue(""), "queue");
        refused(() -> TYPE.withMaxAttempts(0), "0");
        refused(() -> TYPE.withMaxAttempts(1001), "1001");
        refused(() -> TYPE.withTimeout(Duration.ZERO), "timeout");
        refused(() -> TYPE.withTimeout(Duration.ofDays(4000)), "timeout");
        refused(() -> TYPE.withAliases("Not Allowed"), "Not Allowed");
    }

    @Test
    void aTypeWithAnInputRefusesNullAndOneWithoutAcceptsIt() {
        String message = "job type 'mail.send' needs an input of java.lang.String: null is not allowed";
        refused(() -> TYPE.job(null), message);
        refused(() -> new Workflow().add(TYPE, null), message);
        assertThat(JobType.of("ping", Void.class).job(null).input()).isNull();
        // A raw type may represent a type without input, whose class the enqueuing tool does not know.
        assertThat(JobType.raw("ping").job(null).input()).isNull();
    }

    @Test
    void aDelayIsNotNegativeAndDurationsAreLimited() {
        refused(() -> TYPE.job("x").withDelay(Duration.ofMinutes(-5)), "delay -5m is not allowed: 0s to 3650d");
        refused(() -> TYPE.job("x").withDelay(Duration.ofSeconds(Long.MIN_VALUE)), "delay");
        refused(() -> TYPE.withTimeout(Duration.ofSeconds(Long.MAX_VALUE)), "timeout");
        refused(
                () -> JobFailure.retryAfter("DEPENDENCY", null, Duration.ofMinutes(-5)),
                "retry delay -5m is not allowed: 0s or more");
        assertThat(TYPE.job("x").withDelay(Duration.ZERO).delay()).isZero();
    }

    @Test
    void aJobTakesItsDefaultsFromItsType() {
        JobType<String, Integer> type =
                TYPE.withQueue("mail").withMaxAttempts(9).withTimeout(Duration.ofSeconds(1));
        JobRequest<String, Integer> job = type.job("hello");
        assertThat(job.queue()).isEqualTo("mail");
        assertThat(job.maxAttempts()).isEqualTo(9);
        assertThat(job.timeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(job.retry()).isNull();
        assertThat(job.priority()).isZero();
        assertThat(job.input()).isEqualTo("hello");
        JobRequest<String, Integer> own = job.withQueue("urgent")
                .withMaxAttempts(1)
                .withTimeout(Duration.ofMillis(1))
                .withPriority(7)
                .withRetry(RetryPolicy.fixed(Duration.ZERO))
                .withName("Greeting")
                .withTraceparent("00-1-2-3")
                .withTags("a", "b")
                .withTags("b", "c");
        assertThat(own.queue()).isEqualTo("urgent");
        assertThat(own.maxAttempts()).isEqualTo(1);
        assertThat(own.timeout()).isEqualTo(Duration.ofMillis(1));
        assertThat(own.priority()).isEqualTo(7);
        assertThat(own.name()).isEqualTo("Greeting");
        assertThat(own.traceparent()).isEqualTo("00-1-2-3");
        assertThat(own.tags()).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void eachOptionReturnsACopy() {
        JobRequest<String, Integer> job = TYPE.job("x");
        assertThat(job.withPriority(5).priority()).isEqualTo(5);
        assertThat(job.withQueue("other").queue()).isEqualTo("other");
        assertThat(job.withTags("t").tags()).containsExactly("t");
        assertThat(job.priority()).isZero();
        assertThat(job.queue()).isEqualTo("default");
        assertThat(job.tags()).isEmpty();
    }

    @Test
    void delayAndRunAtReplaceEachOther() {
        Instant instant = Instant.parse("2030-01-01T00:00:00Z");
        JobRequest<String, Integer> job =
                TYPE.job("x").withDelay(Duration.ofMinutes(1)).withRunAt(instant);
        assertThat(job.delay()).isNull();
        assertThat(job.runAt()).isEqualTo(instant);
        JobRequest<String, Integer> again = job.withDelay(Duration.ofMinutes(2));
        assertThat(again.runAt()).isNull();
        assertThat(again.delay()).isEqualTo(Duration.ofMinutes(2));
        refused(() -> job.withDelay(Duration.ofDays(3651)), "delay");
        refused(() -> job.withRunAt(Instant.parse("+10000-01-01T00:00:00Z")), "run-at");
        assertThat(job.withRunAt(Instant.MIN).runAt()).isEqualTo(Instant.MIN);
    }

    @Test
    void limitsOfAJobAreChecked() {
        JobRequest<String, Integer> job = TYPE.job("x");
        refused(() -> job.withPriority(32_768), "priority 32768");
        refused(() -> job.withPriority(-32_769), "priority -32769");
        refused(() -> job.withMaxAttempts(0), "max attempts 0");
        refused(() -> job.withTimeout(Duration.ofNanos(1)), "timeout");
        refused(() -> job.withQueue("ü"), "queue");
        refused(() -> job.withName(""), "name");
        refused(() -> job.withName("n".repeat(201)), "201");
        refused(() -> job.withName("a\0b"), "NUL");
        refused(() -> job.withTags(""), "tag");
        refused(() -> job.withTags("t".repeat(101)), "101");
        refused(() -> job.withTraceparent("t".repeat(201)), "201");
        String[] tags = IntStream.rangeClosed(1, 21).mapToObj(i -> "t" + i).toArray(String[]::new);
        refused(() -> job.withTags(tags), "tags");
    }

    @Test
    void externalCompletionHasATimeoutAndExcludesADelay() {
        JobRequest<String, Integer> job = TYPE.job("x").withExternalCompletion(Duration.ofDays(7));
        assertThat(job.externalCompletion()).isEqualTo(Duration.ofDays(7));
        assertThat(job.withPriority(3).withDedupeKey("k").externalCompletion()).isEqualTo(Duration.ofDays(7));
        assertThat(TYPE.job("x").externalCompletion()).isNull();
        refused(() -> job.withDelay(Duration.ofMinutes(1)), "no delay");
        refused(() -> job.withRunAt(Instant.EPOCH), "no delay");
        refused(
                () -> TYPE.job("x").withDelay(Duration.ofMinutes(1)).withExternalCompletion(Duration.ofDays(1)),
                "no delay");
        refused(() -> job.withDedupe(Dedupe.key("k").replace()), "replace");
        refused(() -> job.withExternalCompletion(Duration.ZERO), "wait 0s is not allowed: 1ms to 3650d");
        refused(() -> job.withExternalCompletion(Duration.ofDays(3651)), "3651d");
    }

    @Test
    void parentsKeepTheirOrderAndAreNamedOnce() {
        JobRequest<String, Integer> job =
                TYPE.job("x").withParents(TYPE.ref(3), TYPE.ref(1)).withParents(ParentPolicy.RUN, List.of(TYPE.ref(2)));
        assertThat(job.parents())
                .containsExactly(
                        new Parent(3, ParentPolicy.WAIT),
                        new Parent(1, ParentPolicy.WAIT),
                        new Parent(2, ParentPolicy.RUN));
        refused(() -> job.withParents(TYPE.ref(1)), "parent 1 is named twice");
        refused(() -> job.withParents(TYPE.ref(9), TYPE.ref(9)), "parent 9 is named twice");
    }
}
