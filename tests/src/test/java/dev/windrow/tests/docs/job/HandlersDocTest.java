package dev.windrow.tests.docs.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.docs.Docs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the code of docs/how-to/handlers.md. */
@Timeout(60)
class HandlersDocTest {
    @TempDir
    Path folder;

    @Test
    void snippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/handlers.md"))
                .isEqualTo(Docs.regions("tests/src/test/java/dev/windrow/tests/docs/job/HandlersSnippet.java"))
                .hasSize(3);
    }

    @Test
    void handlerReportsProgressAndLogs() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker = HandlersSnippet.start(windrow)) {
            JobRef<HandlersSnippet.Report> job = windrow.enqueue(HandlersSnippet.CHECK, List.of("a", "", "c"));
            assertThat(windrow.await(job, Duration.ofSeconds(30))).isEqualTo(new HandlersSnippet.Report(3, 1));
            JobHistory history = windrow.job(job).history();
            assertThat(history.log()).extracting(JobHistory.LogLine::message).containsExactly("line 1 is blank");
            JobInfo.Progress progress = Objects.requireNonNull(history.job().progress());
            assertThat(progress.fraction()).isEqualTo(1.0);
            assertThat(progress.message()).isEqualTo("line 2");
            assertThat(worker.types()).containsExactly("lines.check");
        }
    }
}
