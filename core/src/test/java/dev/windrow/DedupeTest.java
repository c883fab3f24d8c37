package dev.windrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class DedupeTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final JobRequest<String, Void> JOB =
            JobType.of("t", String.class).job("x");

    private static void refused(Supplier<?> wrong, String... named) {
        assertThatThrownBy(wrong::get)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContainingAll(named);
    }

    @Test
    void aKeyIsHeldUntilTheEndAndDuplicatesAreDropped() {
        Dedupe plain = Dedupe.key("k");
        assertThat(plain.key()).isEqualTo("k");
        assertThat(plain.scope()).isEqualTo(Dedupe.Scope.UNFINISHED);
        assertThat(plain.strategy()).isEqualTo(Dedupe.Strategy.KEEP);
        assertThat(plain.window()).isNull();
        assertThat(plain.period()).isNull();
        assertThat(JOB.dedupe()).isNull();
        assertThat(JOB.withDedupeKey("k").dedupe()).isEqualTo(plain).hasSameHashCodeAs(plain);
        assertThat(JOB.withDedupeKey("k").withName("n").dedupe()).isEqualTo(plain);
        assertThat(plain).hasToString("k (unfinished, keep)");
    }

    @Test
    void aKeyHasOneToTwoHundredCharacters() {
        assertThat(Dedupe.key("k".repeat(200)).key()).hasSize(200);
        refused(() -> Dedupe.key(""), "dedupe key", "1 to 200");
        refused(() -> Dedupe.key("k".repeat(201)), "dedupe key", "201", "1 to 200");
        refused(() -> Dedupe.key("a\0b"), "dedupe key", "NUL");
    }

    @Test
    void theScopeFollowsTheStrategyUnlessItIsSet() {
        Dedupe key = Dedupe.key("k");
        assertThat(key.debounce(MINUTE).scope()).isEqualTo(Dedupe.Scope.UNTIL_STARTED);
        assertThat(key.debounce(MINUTE).unfinished().scope()).isEqualTo(Dedupe.Scope.UNFINISHED);
        assertThat(key.unfinished().debounce(MINUTE).scope()).isEqualTo(Dedupe.Scope.UNFINISHED);
        assertThat(key.throttle(MINUTE).scope()).isEqualTo(Dedupe.Scope.WINDOW);
        assertThat(key.untilStarted().replace().scope()).isEqualTo(Dedupe.Scope.UNTIL_STARTED);
        assertThat(key.forEver().scope()).isEqualTo(Dedupe.Scope.ANY);
        assertThat(key.within(MINUTE).replace().window()).isEqualTo(MINUTE);
        assertThat(key.within(MINUTE).forEver().window()).isNull();
        assertThat(key.debounce(MINUTE).period()).isEqualTo(MINUTE);
        assertThat(key.debounce(MINUTE).keep()).isEqualTo(key);
        assertThat(key.throttle(MINUTE)).hasToString("k (window, throttle 1m)");
    }

    @Test
    void invalidDedupeOptionsAreRefused() {
        Dedupe key = Dedupe.key("k");
        refused(() -> key.within(Duration.ZERO), "dedupe window", "1ms");
        refused(() -> key.debounce(Duration.ofDays(4000)), "debounce period", "3650d");
        refused(() -> key.throttle(Duration.ofMillis(-1)), "throttle period");
        refused(() -> key.within(MINUTE).debounce(MINUTE), "debounce", "scope window", "until-started or unfinished");
        refused(() -> key.debounce(MINUTE).forEver(), "debounce", "scope any");
        refused(() -> key.untilStarted().throttle(MINUTE), "throttle", "scope until-started");
        refused(() -> key.throttle(MINUTE).within(MINUTE), "throttle", "scope window");
    }

    @Test
    void debounceAndThrottleRefuseADelayOrRunAt() {
        Dedupe debounce = Dedupe.key("k").debounce(MINUTE);
        refused(() -> JOB.withDelay(MINUTE).withDedupe(debounce), "debounce", "a delay or a run-at is not allowed");
        refused(() -> JOB.withDedupe(debounce).withDelay(MINUTE), "debounce", "a delay or a run-at is not allowed");
        refused(
                () -> JOB.withDedupe(Dedupe.key("k").throttle(MINUTE)).withRunAt(Instant.EPOCH),
                "throttle",
                "a delay or a run-at is not allowed");
        assertThat(JOB.withDelay(MINUTE).withDedupe(Dedupe.key("k").replace()).delay())
                .isEqualTo(MINUTE);
    }
}
