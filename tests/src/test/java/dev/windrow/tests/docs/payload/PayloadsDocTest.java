package dev.windrow.tests.docs.payload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Compiles and runs the code of docs/how-to/payloads.md. */
@OnEachStore
class PayloadsDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/payload/PayloadsSnippet.java";

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/payloads.md"))
                .isEqualTo(Docs.regions(CODE))
                .hasSize(6);
    }

    @Test
    void aJobReadsAndWritesAFile() throws Exception {
        Path from = folder.resolve("from");
        Path to = folder.resolve("to.gz");
        Files.writeString(from, "windrow ".repeat(200_000));
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = PayloadsSnippet.open(target.newStore())) {
            PayloadsSnippet.run(windrow, from, to);
            try (InputStream in = new GZIPInputStream(Files.newInputStream(to))) {
                assertThat(in.readAllBytes()).isEqualTo(Files.readAllBytes(from));
            }
            long job = windrow.jobs(JobFilter.ALL)
                    .newestFirst()
                    .limit(1)
                    .page()
                    .jobs()
                    .get(0)
                    .id();
            assertThat(PayloadsSnippet.look(windrow, job)).isEqualTo("1600000 bytes, beginning with " + (int) 'w');
            long small = windrow.enqueue(JobType.raw("small"), new Json("1")).id();
            assertThat(PayloadsSnippet.look(windrow, small)).isEqualTo("loaded: 1");
        }
    }

    @Test
    void longPayloadsMayBeFilesOfAFolder() throws Exception {
        Path from = Files.writeString(folder.resolve("from"), "windrow ".repeat(200_000));
        Path blobs = Files.createDirectory(folder.resolve("blobs"));
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = PayloadsSnippet.open(target.newStore(), blobs)) {
            PayloadsSnippet.run(windrow, from, folder.resolve("to.gz"));
            try (var files = Files.list(blobs)) {
                assertThat(files).hasSize(2);
            }
        }
    }
}
