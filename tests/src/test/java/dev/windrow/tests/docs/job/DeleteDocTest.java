package dev.windrow.tests.docs.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.docs.Docs;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the code of docs/how-to/delete.md. */
class DeleteDocTest {
    private static final JobType<Json, Json> ORDER = JobType.raw("order.pack");

    @TempDir
    Path folder;

    @Test
    void guideShowsCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/delete.md"))
                .isEqualTo(Docs.regions("tests/src/test/java/dev/windrow/tests/docs/job/DeleteSnippet.java"))
                .hasSize(2);
    }

    @Test
    void everythingAboutOnePersonIsDeleted() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            JobRef<Json> order = windrow.enqueue(ORDER.job(new Json("1")).withTags("customer-18"));
            windrow.job(order).cancel();
            windrow.enqueue(
                    ORDER.job(new Json("{\"mail\":\"ada@example.org\"}")).withTags("customer-17"));
            windrow.enqueue(ORDER.job(new Json("2")).withTags("customer-17").withDelay(Duration.ofDays(1)));
            assertThat(DeleteSnippet.forget(windrow, "customer-17", "request 4711"))
                    .isZero();
            assertThat(windrow.jobs(JobFilter.ALL).count()).isEqualTo(1);
            JobRef<Json> first = windrow.enqueue(ORDER.job(new Json("3")));
            JobRef<Json> next = windrow.job(first).completeWith(ORDER.job(new Json("4")));
            windrow.job(next).cancel();
            assertThat(DeleteSnippet.delete(windrow, order, first.id(), 4711)).isZero();
            assertThat(windrow.jobs(JobFilter.ALL).count()).isZero();
            assertThat(windrow.monitor()
                            .audit(AuditFilter.ALL)
                            .limit(1)
                            .page()
                            .entries()
                            .get(0)
                            .reason())
                    .isNull();
        }
    }
}
