package dev.windrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NewJobTest {
    private static final JobType<String, Integer> TYPE = JobType.of("mail.send", String.class, Integer.class);

    private static void refused(Runnable wrong, String named) {
        assertThatThrownBy(wrong::run)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining(named);
    }

    @Test
    void aTypeHasDefaults() {
        assertThat(TYPE.queue()).isEqualTo("default");
        assertThat(TYPE.maxAttempts()).isEqualTo(3);
        assertThat(TYPE.timeout()).isNull();
        assertThat(TYPE.retry().otherwise()).isEqualTo(RetryPolicy.DEFAULT);
        assertThat(TYPE.aliases()).isEmpty();
        assertThat(TYPE.input()).isEqualTo(String.class);
        assertThat(TYPE.output()).isEqualTo(Integer.class);
        assertThat(JobType.of("x", String.class).output()).isEqualTo(Void.class);
        assertThat(TYPE).hasToString("mail.send");
    }

    @Test
    void namesOfTypesAreChecked() {
        for (String wrong : List.of("", "A", "1a", "a b", "a/b", ".a", "ä", "a\n", "a".repeat(101))) {
            refused(() -> JobType.raw(wrong), "job type");
        }
        assertThat(JobType.raw("a".repeat(100)).name()).hasSize(100);
        assertThat(JobType.raw("a0._-").name()).isEqualTo("a0._-");
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
        assertThat(other.allNames()).containsExactlyInAnyOrder("mail.send", "old.mail", "older.mail");
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
    void aTypeWithAnInputRefusesNullAndOneWithoutTakesIt() {
        String message = "job type 'mail.send' needs an input of java.lang.String: null is not allowed";
        refused(() -> TYPE.job(null), message);
        refused(() -> new Workflow().add(TYPE, null), message);
        assertThat(JobType.of("ping", Void.class).job(null).input()).isNull();
        // It may stand for a type without input, whose class the tool that enqueues does not know.
        assertThat(JobType.raw("ping").job(null).input()).isNull();
    }

    @Test
    void aDelayIsNotNegativeAndALengthOfTimeNotEndless() {
        refused(() -> TYPE.job("x").delay(Duration.ofMinutes(-5)), "delay -5m is not allowed: 0s to 3650d");
        refused(() -> TYPE.job("x").delay(Duration.ofSeconds(Long.MIN_VALUE)), "delay");
        refused(() -> TYPE.withTimeout(Duration.ofSeconds(Long.MAX_VALUE)), "timeout");
        refused(
                () -> JobFailure.retryAfter("DEPENDENCY", null, Duration.ofMinutes(-5)),
                "retry delay -5m is not allowed: 0s or more");
        assertThat(TYPE.job("x").delay(Duration.ZERO).delay()).isZero();
    }

    @Test
    void aJobTakesWhatItDoesNotSayFromItsType() {
        JobType<String, Integer> type =
                TYPE.withQueue("mail").withMaxAttempts(9).withTimeout(Duration.ofSeconds(1));
        NewJob<String, Integer> job = type.job("hello");
        assertThat(job.queue()).isEqualTo("mail");
        assertThat(job.maxAttempts()).isEqualTo(9);
        assertThat(job.timeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(job.retry()).isNull();
        assertThat(job.priority()).isZero();
        assertThat(job.input()).isEqualTo("hello");
        NewJob<String, Integer> own = job.queue("urgent")
                .maxAttempts(1)
                .timeout(Duration.ofMillis(1))
                .priority(7)
                .retry(RetryPolicy.fixed(Duration.ZERO))
                .name("Greeting")
                .traceparent("00-1-2-3")
                .tags("a", "b")
                .tags("b", "c");
        assertThat(own.queue()).isEqualTo("urgent");
        assertThat(own.maxAttempts()).isEqualTo(1);
        assertThat(own.timeout()).isEqualTo(Duration.ofMillis(1));
        assertThat(own.priority()).isEqualTo(7);
        assertThat(own.name()).isEqualTo("Greeting");
        assertThat(own.traceparent()).isEqualTo("00-1-2-3");
        assertThat(own.tags()).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void eachOptionLeavesTheJobAsItWas() {
        NewJob<String, Integer> job = TYPE.job("x");
        job.priority(5);
        job.queue("other");
        job.tags("t");
        assertThat(job.priority()).isZero();
        assertThat(job.queue()).isEqualTo("default");
        assertThat(job.tags()).isEmpty();
    }

    @Test
    void delayAndRunAtReplaceEachOther() {
        Instant instant = Instant.parse("2030-01-01T00:00:00Z");
        NewJob<String, Integer> job = TYPE.job("x").delay(Duration.ofMinutes(1)).runAt(instant);
        assertThat(job.delay()).isNull();
        assertThat(job.runAt()).isEqualTo(instant);
        NewJob<String, Integer> again = job.delay(Duration.ofMinutes(2));
        assertThat(again.runAt()).isNull();
        assertThat(again.delay()).isEqualTo(Duration.ofMinutes(2));
        refused(() -> job.delay(Duration.ofDays(3651)), "delay");
        refused(() -> job.runAt(Instant.parse("+10000-01-01T00:00:00Z")), "run-at");
        assertThat(job.runAt(Instant.MIN).runAt()).isEqualTo(Instant.MIN);
    }

    @Test
    void limitsOfAJobAreChecked() {
        NewJob<String, Integer> job = TYPE.job("x");
        refused(() -> job.priority(32_768), "priority 32768");
        refused(() -> job.priority(-32_769), "priority -32769");
        refused(() -> job.maxAttempts(0), "max attempts 0");
        refused(() -> job.timeout(Duration.ofNanos(1)), "timeout");
        refused(() -> job.queue("ü"), "queue");
        refused(() -> job.name(""), "name");
        refused(() -> job.name("n".repeat(201)), "201");
        refused(() -> job.name("a\0b"), "NUL");
        refused(() -> job.tags(""), "tag");
        refused(() -> job.tags("t".repeat(101)), "101");
        refused(() -> job.traceparent("t".repeat(201)), "201");
        String[] tags = IntStream.rangeClosed(1, 21).mapToObj(i -> "t" + i).toArray(String[]::new);
        refused(() -> job.tags(tags), "tags");
    }

    @Test
    void aJobThatWaitsForOutsideSaysForHowLongAndNotWhenItIsDue() {
        NewJob<String, Integer> job = TYPE.job("x").waitsForOutside(Duration.ofDays(7));
        assertThat(job.waitsForOutside()).isEqualTo(Duration.ofDays(7));
        assertThat(job.priority(3).dedupeKey("k").waitsForOutside()).isEqualTo(Duration.ofDays(7));
        assertThat(TYPE.job("x").waitsForOutside()).isNull();
        refused(() -> job.delay(Duration.ofMinutes(1)), "no delay");
        refused(() -> job.runAt(Instant.EPOCH), "no delay");
        refused(() -> TYPE.job("x").delay(Duration.ofMinutes(1)).waitsForOutside(Duration.ofDays(1)), "no delay");
        refused(() -> job.dedupe(Dedupe.key("k").replace()), "replace");
        refused(() -> job.waitsForOutside(Duration.ZERO), "wait 0s is not allowed: 1ms to 3650d");
        refused(() -> job.waitsForOutside(Duration.ofDays(3651)), "3651d");
    }

    @Test
    void parentsKeepTheirOrderAndAreNamedOnce() {
        NewJob<String, Integer> job =
                TYPE.job("x").dependsOn(TYPE.ref(3), TYPE.ref(1)).dependsOn(ParentPolicy.RUN, List.of(TYPE.ref(2)));
        assertThat(job.parents())
                .containsExactly(
                        new Parent(3, ParentPolicy.WAIT),
                        new Parent(1, ParentPolicy.WAIT),
                        new Parent(2, ParentPolicy.RUN));
        refused(() -> job.dependsOn(TYPE.ref(1)), "parent 1 is named twice");
        refused(() -> job.dependsOn(TYPE.ref(9), TYPE.ref(9)), "parent 9 is named twice");
    }
}
