package dev.windrow.tests.docs.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.payload.Json;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.docs.Docs;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the code of docs/how-to/audit.md. */
class AuditDocTest {
    @TempDir
    Path folder;

    @Test
    void guideShowsCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/audit.md"))
                .isEqualTo(Docs.regions("tests/src/test/java/dev/windrow/tests/docs/monitor/AuditSnippet.java"))
                .hasSize(4);
    }

    @Test
    void theRevealOfTheGuideIsRecorded() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            JobRef<Json> cat = windrow.enqueue(JobType.raw("image.resize").job(new Json("1")));
            assertThat(AuditSnippet.show(windrow, cat)).isEqualTo("1");
            assertThat(windrow.monitor().audit(AuditFilter.ALL).page().entries())
                    .singleElement()
                    .extracting(AuditEntry::action, AuditEntry::actor)
                    .containsExactly("REVEAL", "alice");
        }
    }

    @Test
    void theChangeOfTheGuideIsRecorded() {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            JobRef<Json> cat = windrow.enqueue(JobType.raw("image.resize").job(new Json("1")));
            AuditSnippet.cancel(windrow, cat);
            AuditSnippet.read(windrow);
            assertThat(windrow.monitor().audit(AuditFilter.ALL).limit(10).page().entries())
                    .singleElement()
                    .extracting(AuditEntry::actor, AuditEntry::reason)
                    .containsExactly("alice", "ticket 4711");
            AuditSnippet.delete(windrow, cat);
            assertThat(windrow.job(cat).exists()).isFalse();
        }
    }
}
