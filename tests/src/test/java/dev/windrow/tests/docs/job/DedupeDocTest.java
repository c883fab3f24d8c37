package dev.windrow.tests.docs.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Dedupe;
import dev.windrow.Enqueued;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.query.JobFilter;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Compiles and runs the code of docs/how-to/deduplication.md. */
@OnEachStore
class DedupeDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/job/DedupeSnippet.java";

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private Target target;
    private Windrow windrow;

    @BeforeEach
    void open() {
        target = kind.emptyTarget(folder);
        windrow = Windrow.open(target.newStore());
    }

    @AfterEach
    void close() throws Exception {
        windrow.close();
        target.close();
    }

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/deduplication.md"))
                .isEqualTo(Docs.regions(CODE))
                .hasSize(5);
    }

    @Test
    void theSecondJobWithTheKeyIsTheFirst() {
        Enqueued<Void> second = DedupeSnippet.twice(windrow);
        assertThat(second.deduplicated()).isTrue();
        assertThat(second.state()).isEqualTo(JobState.PENDING);
        assertThat(windrow.jobs(JobFilter.ALL).newestFirst().limit(10).page().jobs())
                .extracting(JobInfo::id)
                .containsExactly(second.id());
    }

    @Test
    void theSnippetShowsEveryStrategyAndScope() {
        assertThat(DedupeSnippet.choices(windrow)).extracting(Dedupe::strategy).contains(Dedupe.Strategy.values());
        assertThat(DedupeSnippet.choices(windrow)).extracting(Dedupe::scope).contains(Dedupe.Scope.values());
        assertThat(windrow.jobs(JobFilter.ALL).newestFirst().limit(10).page().jobs())
                .extracting(JobInfo::state)
                .containsExactly(JobState.SCHEDULED);
    }

    @Test
    void aFailedJobIsRetriedAndAwaitedByItsKey() {
        long id = windrow.enqueue(
                        DedupeSnippet.INDEX.job(new DedupeSnippet.Document(17)).withDedupeKey("document-17"))
                .id();
        windrow.job(id).fail("TEST:FAILED");
        Worker unused = windrow.worker()
                .handleVoid(DedupeSnippet.INDEX, (document, job) -> {})
                .start();
        DedupeSnippet.again(windrow);
        assertThat(windrow.job(id).info().state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void theCallersTransactionCommitsRowAndJob() throws Exception {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE documents (number integer)");
        }
        try (Connection connection = target.begin()) {
            DedupeSnippet.save(windrow, connection, new DedupeSnippet.Document(17));
        }
        assertThat(target.rows("SELECT number FROM documents")).containsExactly("17");
        assertThat(windrow.jobs(JobFilter.ALL).newestFirst().limit(10).page().jobs())
                .extracting(JobInfo::dedupeKey)
                .containsExactly("document-17");
    }
}
