package dev.windrow.tests.engine.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Schedule;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The reason of changes that are made through {@link Windrow#because}. */
@OnEachStore
class AuditTest extends EngineTest {
    private static final JobType<Json, Json> WORK = JobType.raw("test.work");
    private static final String WHY = "ticket 4711";

    private AuditEntry last() {
        return windrow.monitor()
                .audit(AuditFilter.ALL)
                .limit(1)
                .page()
                .entries()
                .get(0);
    }

    @Test
    void theActorAndTheReasonAreIndependent() {
        JobRef<Json> job = windrow.enqueue(WORK.job(new Json("1")));
        windrow.as("alice").because(WHY).job(job).cancel();
        assertThat(last()).extracting(AuditEntry::actor, AuditEntry::reason).containsExactly("alice", WHY);
        windrow.because(WHY).as("bob").jobs(JobFilter.ALL).retry();
        assertThat(last()).extracting(AuditEntry::actor, AuditEntry::reason).containsExactly("bob", WHY);
        assertThat(history(job).events())
                .last()
                .extracting(event -> String.valueOf(event.detail()))
                .asString()
                .contains("\"reason\":\"ticket 4711\"");
        windrow.as("bob").job(job).complete();
        assertThat(last()).extracting(AuditEntry::action, AuditEntry::reason).containsExactly("COMPLETE", null);
        assertThat(windrow.because("x".repeat(500)).jobs(JobFilter.ALL).count()).isEqualTo(1);
        for (String wrong : new String[] {"", "  ", "x".repeat(501), "two\nlines"}) {
            assertThatThrownBy(() -> windrow.because(wrong))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("is not allowed: 1 to 500 characters, no control characters");
        }
    }

    @Test
    void changesOfOtherThingsTakeTheReason() {
        Windrow because = windrow.because(WHY);
        assertThat(because.queue("mail").pause().pause().reason()).isEqualTo(WHY);
        assertThat(last().reason()).isEqualTo(WHY);
        assertThat(because.queue("mail").pause("its own").pause().reason()).isEqualTo("its own");
        assertThat(last().reason()).isEqualTo("its own");
        because.queue("mail").limit(3);
        assertThat(last().reason()).isEqualTo(WHY);
        because.schedules().save(Schedule.every("s", Duration.ofHours(1), WORK.job(new Json("1"))));
        assertThat(last().reason()).isEqualTo(WHY);
        assertThat(because.schedules().pause("s").pause().reason()).isEqualTo(WHY);
        because.schedules().resume("s");
        assertThat(last()).extracting(AuditEntry::action, AuditEntry::reason).containsExactly("RESUME", WHY);
        because.schedules().run("s");
        assertThat(last()).extracting(AuditEntry::action, AuditEntry::reason).containsExactly("RUN", WHY);
        because.schedules().remove("s");
        assertThat(last()).extracting(AuditEntry::action, AuditEntry::reason).containsExactly("REMOVE", WHY);
        because.retention().keep(JobState.FAILED, Duration.ofDays(1));
        assertThat(last()).extracting(AuditEntry::action, AuditEntry::reason).containsExactly("RETAIN", WHY);
    }

    @Test
    void aRevealIsRecordedInTheNameOfTheActor() {
        JobRef<Json> job = windrow.enqueue(WORK.job(new Json("1")));
        windrow.as("alice").because(WHY).monitor().recordReveal(List.of(job, job));
        assertThat(last())
                .extracting(AuditEntry::action, AuditEntry::actor, AuditEntry::reason, AuditEntry::changed)
                .containsExactly("REVEAL", "alice", WHY, 1L);
        windrow.monitor().recordReveal(List.of(), Map.of("schedule", "nightly"));
        assertThat(last())
                .extracting(AuditEntry::actor, entry -> String.valueOf(entry.detail()))
                .containsExactly("api", "{\"schedule\":\"nightly\"}");
    }

    @Test
    void aRevealOfNothingOrWithALongDetailIsRefused() {
        assertThatThrownBy(() -> windrow.monitor().recordReveal(List.of()))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("give jobs or a detail");
        for (Map<String, String> wrong : List.of(
                Map.of("", "x"),
                Map.of("x".repeat(51), "x"),
                Map.of("what", ""),
                Map.of("what", "two\nlines"),
                Map.of("what", "x".repeat(501)))) {
            assertThatThrownBy(() -> windrow.monitor().recordReveal(List.of(), wrong))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("detail");
        }
        Map<String, String> many = IntStream.range(0, 11).boxed().collect(Collectors.toMap(n -> "name" + n, n -> "x"));
        assertThatThrownBy(() -> windrow.monitor().recordReveal(List.of(), many))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("number of details 11");
        assertThat(windrow.monitor().audit(AuditFilter.ALL).page().entries()).isEmpty();
    }

    @Test
    void aRangeOfTimeMustNotBeEmpty() {
        Instant now = Instant.now();
        assertThatThrownBy(() -> AuditFilter.ALL.withFrom(now).withBefore(now))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("the end must be later than the beginning");
    }
}
