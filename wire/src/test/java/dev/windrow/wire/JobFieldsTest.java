package dev.windrow.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.Dedupe;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRequest;
import dev.windrow.RetryPolicy;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.workflow.Parent;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The rules between the fields of a new job. */
class JobFieldsTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static JobRequest<Json, Json> job(Map<String, ?> values) {
        Map<String, Object> all = new HashMap<>(values);
        all.putIfAbsent("type", "t");
        return JobFields.request(all::get, name -> "--" + name);
    }

    private static void refused(String message, Map<String, ?> values) {
        assertThatThrownBy(() -> job(values))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void eachFieldIsSet() {
        JobRequest<Json, Json> plain = job(Map.of("payload", new Json("1.50"), "queue", "q", "priority", 7L));
        assertThat(plain.input()).isEqualTo(new Json("1.50"));
        assertThat(plain.queue()).isEqualTo("q");
        assertThat(plain.priority()).isEqualTo(7);
        assertThat(job(Map.of("maxAttempts", 9)).maxAttempts()).isEqualTo(9);
        assertThat(job(Map.of("timeout", HOUR)).timeout()).isEqualTo(HOUR);
        assertThat(job(Map.of("retryPolicy", "delays(0,1000)")).retry())
                .isEqualTo(RetryPolicy.delays(Duration.ZERO, Duration.ofSeconds(1)));
        refused("--retryPolicy: retry policy 'never' is not", Map.of("retryPolicy", "never"));
        assertThat(job(Map.of("delay", HOUR)).delay()).isEqualTo(HOUR);
        assertThat(job(Map.of("at", Instant.EPOCH)).runAt()).isEqualTo(Instant.EPOCH);
        assertThat(job(Map.of("name", "n")).name()).isEqualTo("n");
        assertThat(job(Map.of("tags", List.of("a", "b"))).tags()).containsExactlyInAnyOrder("a", "b");
        assertThat(job(Map.of("metadata", new Json("{\"a\":1}"))).metadata()).isEqualTo(Metadata.parse("{\"a\":1}"));
        assertThat(job(Map.of("external", HOUR)).externalCompletion()).isEqualTo(HOUR);
        assertThat(job(Map.of("dependsOn", List.of(3L, 4L), "onParentFailure", ParentPolicy.RUN))
                        .parents())
                .containsExactly(new Parent(3, ParentPolicy.RUN), new Parent(4, ParentPolicy.RUN));
        assertThat(job(Map.of("dependsOn", List.of(3L))).parents()).containsExactly(new Parent(3, ParentPolicy.WAIT));
        assertThat(job(Map.of("type", "other")).type().name()).isEqualTo("other");
    }

    @Test
    void aDedupeKeyHasAScopeAndAStrategy() {
        Dedupe key = Dedupe.key("k");
        assertThat(dedupe(Map.of())).isEqualTo(key);
        assertThat(dedupe(Map.of("dedupeScope", Dedupe.Scope.UNTIL_STARTED))).isEqualTo(key.untilStarted());
        assertThat(dedupe(Map.of("dedupeScope", Dedupe.Scope.UNFINISHED))).isEqualTo(key.unfinished());
        assertThat(dedupe(Map.of("dedupeScope", Dedupe.Scope.ANY))).isEqualTo(key.forEver());
        assertThat(dedupe(Map.of("dedupeScope", Dedupe.Scope.WINDOW, "dedupeWindow", HOUR)))
                .isEqualTo(key.within(HOUR));
        assertThat(dedupe(Map.of("dedupeStrategy", Dedupe.Strategy.REPLACE))).isEqualTo(key.replace());
        assertThat(dedupe(Map.of("dedupeStrategy", Dedupe.Strategy.DEBOUNCE, "dedupeWindow", HOUR)))
                .isEqualTo(key.debounce(HOUR));
        assertThat(dedupe(Map.of("dedupeStrategy", Dedupe.Strategy.THROTTLE, "dedupeWindow", HOUR)))
                .isEqualTo(key.throttle(HOUR));
        refused("--dedupeScope needs --dedupeKey", Map.of("dedupeScope", Dedupe.Scope.ANY));
        refused("--dedupeWindow needs --dedupeKey", Map.of("dedupeWindow", HOUR));
        refused("--dedupeKey: dedupe key", Map.of("dedupeKey", ""));
        refused(
                "--dedupeScope window needs --dedupeWindow",
                Map.of("dedupeKey", "k", "dedupeScope", Dedupe.Scope.WINDOW));
        refused(
                "--dedupeStrategy throttle needs --dedupeWindow",
                Map.of("dedupeKey", "k", "dedupeStrategy", Dedupe.Strategy.THROTTLE));
        refused("--dedupeWindow is for scope window", Map.of("dedupeKey", "k", "dedupeWindow", HOUR));
    }

    private static Dedupe dedupe(Map<String, ?> values) {
        Map<String, Object> all = new HashMap<>(values);
        all.put("dedupeKey", "k");
        return job(all).dedupe();
    }

    @Test
    void aConcurrencyKeyHasALimitOrASequence() {
        assertThat(job(Map.of("concurrencyKey", "k")).concurrencyKey()).isEqualTo(ConcurrencyKey.of("k"));
        assertThat(job(Map.of("concurrencyKey", "k", "concurrencyLimit", 2L)).concurrencyKey())
                .isEqualTo(ConcurrencyKey.atMost("k", 2));
        assertThat(job(Map.of("sequenceKey", "k")).concurrencyKey()).isEqualTo(ConcurrencyKey.inSequence("k"));
        refused("--concurrencyLimit needs --concurrencyKey", Map.of("concurrencyLimit", 2L, "sequenceKey", "k"));
        refused(
                "--concurrencyKey and --sequenceKey do not go together",
                Map.of("concurrencyKey", "k", "sequenceKey", "k"));
    }

    @Test
    void anErrorBeginsWithTheWordOfTheUser() {
        assertThatThrownBy(() -> JobFields.request(name -> null, name -> "TYPE"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("TYPE is missing");
        refused("--type: ", Map.of("type", "a b"));
        refused("--queue: ", Map.of("queue", "a b"));
        refused("--metadata: ", Map.of("metadata", new Json("[1]")));
        refused("--delay and --at do not go together", Map.of("delay", HOUR, "at", Instant.EPOCH));
        refused("--external: ", Map.of("external", HOUR, "delay", HOUR));
        refused(
                "--dedupeStrategy: ",
                Map.of(
                        "dedupeKey",
                        "k",
                        "dedupeStrategy",
                        Dedupe.Strategy.DEBOUNCE,
                        "dedupeWindow",
                        HOUR,
                        "delay",
                        HOUR));
        refused("--dependsOn: ", Map.of("dependsOn", List.of(3L, 3L)));
    }
}
