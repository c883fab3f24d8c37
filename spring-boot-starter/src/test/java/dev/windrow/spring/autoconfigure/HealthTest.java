package dev.windrow.spring.autoconfigure;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.testkit.ManualTime;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.Status;

/** The health that both versions of Spring Boot show. */
class HealthTest {
    @TempDir
    Path folder;

    @Test
    void aLongLagAndAMissingWorkerAreProblemsOnlyIfThePropertiesSaySo() {
        ManualTime time = new ManualTime();
        JobType<Void, Void> type = JobType.of("nothing");
        try (Windrow windrow = Windrow.configure(SqliteStore.at(folder.resolve("jobs.db")))
                .time(time)
                .open()) {
            windrow.enqueue(type);
            time.advance(ofMinutes(10));
            var lenient = new WindrowHealth(windrow, new WindrowProperties.Health(null, false)).check();
            assertThat(lenient.isUp()).isTrue();
            assertThat(lenient.details()).containsEntry("location", windrow.location());
            var strict = new WindrowHealth(windrow, new WindrowProperties.Health(ofMinutes(5), true)).check();
            assertThat(strict.isUp()).isFalse();
            assertThat(strict.problems())
                    .containsEntry("worker", "no process has a live worker")
                    .containsEntry("queue default", "a ready job has waited for 10m, more than 5m");
            var later = new WindrowHealth(windrow, new WindrowProperties.Health(ofMinutes(15), false)).check();
            assertThat(later.isUp()).isTrue();
        }
    }

    /** The application of spring-boot-tests asks the indicator of Spring Boot 4. */
    @Test
    void theIndicatorIsDownIfThereIsAProblem() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            assertThat(health(windrow, false).getStatus()).isEqualTo(Status.UP);
            assertThat(health(windrow, true).getStatus()).isEqualTo(Status.DOWN);
            assertThat(health(windrow, true).getDetails())
                    .containsEntry("location", windrow.location())
                    .containsEntry("worker", "no process has a live worker");
        }
    }

    private static Health health(Windrow windrow, boolean requireWorker) {
        return new Boot3HealthIndicator(new WindrowHealth(windrow, new WindrowProperties.Health(null, requireWorker)))
                .health();
    }
}
