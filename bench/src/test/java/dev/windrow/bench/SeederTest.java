package dev.windrow.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeederTest {
    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void setUp() throws Exception {
        file = folder.resolve("seeded.db");
        Seeder.seed(file, new Seeder.Rows(60_000, 30, 70, 200, 9), "\"x\"");
    }

    @Test
    void theDoctorFindsNothing() {
        assertThat(Windrow.diagnose(SqliteStore.at(file), DiagnoseOptions.ALL).failed())
                .isEmpty();
    }

    @Test
    void theEngineContinuesWhereTheSeederEnded() throws Exception {
        try (Windrow windrow = new FileDatabase(file, Durability.FULL).open();
                Worker worker = Work.start(windrow, 4)) {
            windrow.enqueue(Work.NO_OP.job("y"));
            assertThat(worker.awaitIdle(Duration.ofMinutes(1))).isTrue();
            assertThat(windrow.monitor().statistics().states())
                    .containsEntry(JobState.COMPLETED, 60_201L)
                    .containsEntry(JobState.SCHEDULED, 30L)
                    .containsEntry(JobState.BLOCKED, 70L)
                    .containsEntry(JobState.PENDING, 9L);
        }
    }

    @Test
    void finishedJobsEqualThoseOfTheEngine() throws Exception {
        Path finished = folder.resolve("finished.db");
        Seeder.seed(finished, Seeder.Rows.finished(1000), "\"x\"");
        Audit.completed(new FileDatabase(finished, Durability.FULL), 1000);
    }
}
