package dev.windrow.tests.cli.step;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.payload.Json;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow signal}, the steps that {@code show} tells of, and {@code retry --from-start} from outside. */
class StepsTest extends CommandTest {
    private static final JobType<Json, Json> ORDER = JobType.raw("order.handle");

    @Test
    void aSignalCountsOnceAndReachesTheHandlerOfAnotherProcess() {
        String id = cli.enqueue("order.handle", "{}", "--max-attempts", "1");
        assertThat(cli.json("signal", id, "early", "-5", "--json").toString())
                .isEqualTo("{\"id\":\"%s\",\"name\":\"early\",\"state\":\"PENDING\",\"kept\":true}".formatted(id));
        assertThat(cli.json("signal", id, "early", "6", "--json").get("kept").asBoolean())
                .isFalse();
        try (Windrow windrow = Windrow.open(target.newStore());
                Worker worker = windrow.worker()
                        .handle(ORDER, (input, job) -> {
                            Json early = job.awaitEvent("early", Json.class, Duration.ofHours(1))
                                    .orElseThrow();
                            job.stepVoid("work", () -> {});
                            Json paid = job.awaitEvent("paid", Json.class, Duration.ofHours(1))
                                    .orElseThrow();
                            if (paid.text().equals("{}")) {
                                throw new IllegalStateException("nothing was paid");
                            }
                            return new Json("[" + early + "," + paid + "]");
                        })
                        .start()) {
            assertThat(worker.name()).isNotEmpty();
            JobRef<Json> job = JobRef.raw(Long.parseLong(id));
            until(windrow, job, JobState.BLOCKED);
            JsonNode steps = cli.json("show", id, "--json").get("steps");
            assertThat(steps.valueStream().map(step -> step.get("name").asString()))
                    .containsExactly("early", "work", "paid");
            assertThat(steps.at("/0/result").toString()).isEqualTo("-5");
            assertThat(steps.at("/0/untilAt").isNull()).isTrue();
            assertThat(steps.at("/1/kind").asString()).isEqualTo("STEP");
            assertThat(steps.at("/1/state").asString()).isEqualTo("DONE");
            assertThat(steps.at("/2/kind").asString()).isEqualTo("EVENT");
            assertThat(steps.at("/2/state").asString()).isEqualTo("WAITING");
            assertThat(steps.at("/2/untilAt").asString()).matches("20..-..-..T.*Z");
            assertThat(steps.at("/2/at").asString()).matches("20..-..-..T.*Z");
            assertThat(cli.run("show", id).out())
                    .contains("Steps (UTC)")
                    .containsPattern("EVENT +DONE +early +-5")
                    .containsPattern("EVENT +WAITING +paid +until 20");

            assertThat(cli.process("signal", id, "paid", "{}").out()).contains("job " + id + " is PENDING");
            until(windrow, job, JobState.FAILED);
            Result late = cli.run("signal", id, "paid", "{}");
            assertThat(late.status()).isEqualTo(1);
            assertThat(late.err()).contains(id, "FAILED");

            assertThat(cli.json("retry", id, "--from-start", "--json")
                            .get("changed")
                            .asInt())
                    .isEqualTo(1);
            until(windrow, job, JobState.BLOCKED);
            assertThat(cli.json("show", id, "--json").at("/steps/0/state").asString())
                    .isEqualTo("WAITING");
            cli.process("signal", id, "early", "7");
            until(windrow, job, JobState.BLOCKED);
            cli.process("signal", id, "paid", "8");
            assertThat(windrow.await(job, Duration.ofMinutes(1))).isEqualTo(new Json("[7,8]"));
        }
        assertThat(cli.run("doctor", "--full").status()).isZero();
    }

    private static void until(Windrow windrow, JobRef<Json> job, JobState state) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> windrow.job(job).history().job().state() == state);
    }

    @Test
    void retriesFromTheStartHaveAuditEntries() {
        String id = cli.enqueue("order.handle");
        cli.run("signal", id, "early");
        cli.run("fail", id, "--error-code", "TEST:FAILED");
        JsonNode dry = cli.json("retry", "--type", "order.handle", "--from-start", "--dry-run", "--json");
        assertThat(dry.get("changed").asInt()).isEqualTo(1);
        assertThat(cli.json("show", id, "--json").get("steps")).hasSize(1);
        cli.json("retry", "--type", "order.handle", "--from-start", "--with-dependents", "--json");
        assertThat(cli.json("show", id, "--json").get("steps")).isEmpty();
        assertThat(cli.run("show", id).out()).doesNotContain("Steps (UTC)");
        assertThat(cli.json("audit", "--json").at("/audit/0/detail/fromStart").asBoolean())
                .isTrue();
    }

    @Test
    void wrongUsageWritesNothing() {
        String id = cli.enqueue("order.handle");
        for (List<String> words : List.of(
                List.of("signal", id),
                List.of("signal", "x", "paid"),
                List.of("signal", id, "paid", "{"),
                List.of("signal", id, "paid", "--no-such"),
                List.of("signal", id, "--no-such"))) {
            Result result = cli.run(words.toArray(String[]::new));
            assertThat(result.status()).as("%s", words).isEqualTo(2);
            assertThat(result.out()).isEmpty();
        }
        Result empty = cli.run("signal", id, "");
        assertThat(empty.status()).isNotZero();
        assertThat(empty.err()).contains("NAME: event '' is not allowed: 1 to 200");
        Result missing = cli.run("signal", "4711", "paid");
        assertThat(missing.status()).isEqualTo(1);
        assertThat(missing.err()).contains("4711");
        assertThat(cli.json("show", id, "--json").get("steps")).isEmpty();
    }
}
