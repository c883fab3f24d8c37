package dev.windrow.tests.docs.payload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobChain;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.payload.Json;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Compiles and runs the code of docs/how-to/metadata.md. */
@OnEachStore
class MetadataDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/payload/MetadataSnippet.java";

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/metadata.md"))
                .isEqualTo(Docs.regions(CODE))
                .hasSize(6);
    }

    @Test
    void metadataGoWithTheChainAndAreFound() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = MetadataSnippet.open(target.newStore());
                Worker worker = windrow.worker()
                        .handle(MetadataSnippet.PACK, MetadataSnippet::pack)
                        .handle(MetadataSnippet.SHIP, (order, job) -> order)
                        .start()) {
            JobRef<Json> job = MetadataSnippet.enqueue(windrow, new Json("{}"));
            windrow.awaitChain(
                    JobChain.of(MetadataSnippet.SHIP, MetadataSnippet.SHIP).ref(job.id()), Duration.ofSeconds(60));
            assertThat(windrow.job(job).chain().jobs())
                    .extracting(each -> each.metadata().text("parcels").orElse("none"))
                    .containsExactly("2", "2");
            MetadataSnippet.change(windrow, job);
            assertThat(MetadataSnippet.ofCustomer(windrow, 42).jobs())
                    .extracting(JobInfo::id)
                    .containsExactly(job.id());
            assertThat(windrow.job(job).info().metadata().json())
                    .isEqualTo("{\"customer\":42,\"order\":\"A-7\",\"parcels\":2,\"carrier\":\"DHL\"}");
            assertThat(windrow.monitor()
                            .audit(AuditFilter.ALL)
                            .limit(1)
                            .page()
                            .entries()
                            .get(0)
                            .actor())
                    .isEqualTo("ann");
            assertThat(worker.name()).isNotEmpty();
        }
    }
}
