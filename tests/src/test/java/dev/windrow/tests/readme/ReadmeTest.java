package dev.windrow.tests.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.processes.TestJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the code of README.md and docs/how-to/kotlin.md. */
@Timeout(60)
class ReadmeTest {
    private static final String APP = "tests/src/test/java/dev/windrow/tests/readme/App.java";
    private static final String KOTLIN = "tests/src/test/kotlin/dev/windrow/tests/readme/ReadmeSnippet.kt";

    @TempDir
    Path folder;

    @Test
    void javaIsCompiledCode() {
        assertThat(Docs.blocks("java", "README.md"))
                .containsExactly(Docs.read(APP).split("\n\n", 2)[1].strip());
    }

    @Test
    void kotlinIsCompiledCode() {
        assertThat(Docs.blocks("kotlin", "docs/how-to/kotlin.md"))
                .isEqualTo(Docs.regions(KOTLIN))
                .hasSize(1);
    }

    @Test
    void programRuns() throws Exception {
        Process process = new ProcessBuilder(TestJvm.command(List.of(), App.class, List.of()))
                .directory(folder.toFile())
                .redirectError(folder.resolve("errors").toFile())
                .start();
        try (var lines = process.inputReader()) {
            assertThat(lines.lines()).singleElement().asString().endsWith("-1 made Thumbnail[file=200-cat.jpg]");
        } finally {
            process.destroyForcibly().waitFor();
        }
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            assertThat(windrow.jobs(JobFilter.inState(JobState.SCHEDULED)).count())
                    .isEqualTo(1);
        }
    }

    @Test
    void theKotlinExampleRuns() {
        assertThat(KotlinSnippet.INSTANCE.greet(folder.resolve("jobs.db")))
                .isEqualTo(new KotlinSnippet.Greeting("Hello, Ada"));
    }

    @Test
    void kotlinCanUseATypeWithoutInputAndResult() {
        assertThat(KotlinSnippet.INSTANCE.tick(folder.resolve("jobs.db"))).isNull();
    }

    @Test
    void kotlinCanUseATransaction() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            assertThat(windrow.job(KotlinSnippet.INSTANCE.greetInTransaction(windrow))
                            .history()
                            .job()
                            .state())
                    .isEqualTo(JobState.PENDING);
        }
    }

    @Test
    void aKotlinClassThatCannotBeReadIsNamedWithTheRemedy() throws InterruptedException {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
                Worker worker = windrow.worker()
                        .handleVoid(KotlinSnippet.INSTANCE.getPLAIN(), (plain, job) -> {})
                        .start()) {
            JobRef<Void> job = windrow.enqueue(KotlinSnippet.INSTANCE.getPLAIN(), new KotlinSnippet.Plain("Ada"));
            assertThat(worker.awaitIdle(Duration.ofSeconds(30))).isTrue();
            assertThat(windrow.job(job).info().errorDetail()).contains("KotlinSnippet$Plain", "@JvmRecord");
        }
    }
}
