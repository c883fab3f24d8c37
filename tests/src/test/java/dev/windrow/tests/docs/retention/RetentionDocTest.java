package dev.windrow.tests.docs.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.retention.RetentionResult;
import dev.windrow.retention.RetentionRules;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Compiles and runs the code of docs/how-to/retention.md. */
@OnEachStore
class RetentionDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/retention/RetentionSnippet.java";
    private static final JobType<Json, Json> ANY = JobType.raw("test.any");

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/retention.md"))
                .isEqualTo(Docs.regions(CODE))
                .hasSize(3);
    }

    @Test
    void rulesAreSetAndRemovedAndJobsAreArchivedBeforeDeletion() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            assertThat(RetentionSnippet.rules(windrow))
                    .isEqualTo(RetentionRules.DEFAULT.with(
                            new RetentionRules.Rule(JobState.FAILED, "invoice.send", null)));
            JobRef<Json> job = windrow.enqueue(ANY, new Json("{}"));
            windrow.job(job).cancel();
            List<String> archive = new ArrayList<>();
            RetentionResult done = RetentionSnippet.archive(windrow, archive);
            assertThat(done.total()).isEqualTo(1);
            assertThat(archive).containsExactly(job.id() + " CANCELLED");
            assertThat(windrow.job(job).exists()).isFalse();
            assertThat(RetentionSnippet.state(windrow)).contains("bytesAfter");
        }
    }
}
