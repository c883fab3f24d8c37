package dev.windrow.tests.cli.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.tests.Once;
import dev.windrow.tests.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of the file, or the pipe, of {@code windrow export}: in a process of its own, and on one store, because the store has no part in it. */
@Once
class ExportFileTest {
    @TempDir
    Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
        cli.enqueue("a");
    }

    @Test
    void anExportFileThatCannotGrowIsReportedAndRemoved() throws IOException {
        String line = "{\"type\":\"a\",\"payload\":\"" + "x".repeat(900_000) + "\"}\n";
        Files.writeString(folder.resolve("long.jsonl"), line.repeat(2));
        cli.json("enqueue", "--file", "long.jsonl", "--json");
        assertThat(cli.process("--version").status())
                .as("the launcher is installed, which takes larger files")
                .isZero();
        // Blocks of 512 bytes, or of 1024: less than the jobs need.
        Cli.Result result = cli.shell("ulimit -f 1500; windrow export --output big.jsonl");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .contains("cannot write 'big.jsonl' (--output): File too large; no part of it was kept")
                .doesNotContain("exported");
        try (var files = Files.list(folder)) {
            assertThat(files).noneMatch(file -> file.getFileName().toString().startsWith("big.jsonl"));
        }
    }

    @Test
    void aFullDiskIsReportedAndAClosedPipeIsNot() throws IOException {
        Cli.Result full = cli.shell("windrow export > /dev/full");
        assertThat(full.status()).isEqualTo(1);
        assertThat(full.err()).contains("cannot write to stdout").doesNotContain("exported");
        Files.writeString(folder.resolve("many.jsonl"), "{\"type\":\"many\"}\n".repeat(3000));
        cli.json("enqueue", "--file", "many.jsonl", "--json");
        Cli.Result cut = cli.shell("{ windrow export; echo $? > status; } | head -c 1");
        assertThat(cut.err()).isEmpty();
        assertThat(Files.readString(folder.resolve("status"))).isEqualTo("1\n");
    }

    /** Of a size that takes a moment, so that others can be quicker. */
    private void enqueueMany() throws IOException {
        Files.writeString(folder.resolve("many.jsonl"), "{\"type\":\"many\"}\n".repeat(3000));
        cli.json("enqueue", "--file", "many.jsonl", "--json");
    }

    @Test
    void aFileCreatedDuringTheExportIsKept() throws IOException {
        enqueueMany();
        Path file = folder.resolve("all.jsonl");
        Cli.Result result;
        do {
            Files.deleteIfExists(file);
            Cli.Running export = cli.start("export", "--output", "all.jsonl");
            await().atMost(Cli.DEADLINE)
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> !parts().isEmpty() || !export.process().isAlive());
            if (Files.notExists(file)) {
                Files.writeString(file, "mine", StandardOpenOption.CREATE_NEW);
            }
            result = export.end();
            // One that was ready before is tried again.
        } while (result.status() == 0);
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("'all.jsonl' (--output) exists");
        assertThat(Files.readString(file)).isEqualTo("mine");
        assertThat(parts()).isEmpty();
    }

    @Test
    void anExportOnAFullDiskLeavesNoFile() throws IOException {
        enqueueMany();
        assertThat(cli.process("--version").status())
                .as("the launcher is installed, which takes larger files")
                .isZero();
        // Blocks of half a kilobyte or of one: less than 3000 jobs take.
        Cli.Result result = cli.shell("ulimit -f 600; windrow export --type many --output all.jsonl");
        assertThat(result.status()).as(result.err()).isEqualTo(1);
        assertThat(result.err()).contains("cannot write 'all.jsonl' (--output)");
        assertThat(folder.resolve("all.jsonl")).doesNotExist();
        assertThat(parts()).isEmpty();
    }

    @Test
    void anExportThatIsInterruptedLeavesNothing() throws IOException {
        Files.writeString(folder.resolve("many.jsonl"), "{\"type\":\"many\"}\n".repeat(15_000));
        cli.json("enqueue", "--file", "many.jsonl", "--json");
        Cli.Running export = cli.start("export", "--type", "many", "--output", "all.jsonl", "--json");
        await().atMost(Cli.DEADLINE).pollInterval(Duration.ofMillis(10)).until(() -> !parts().isEmpty());
        Cli.Result result = export.signal("INT").end();
        assertThat(parts()).isEmpty();
        Path file = folder.resolve("all.jsonl");
        if (result.status() == 0) {
            // It was ready before it heard of it: then all of it is there.
            assertThat(Files.readAllLines(file)).hasSize(15_000);
        } else {
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err()).contains("interrupted; 'all.jsonl' was not written");
            assertThat(result.out()).isEmpty();
            assertThat(file).doesNotExist();
        }
    }

    private List<Path> parts() throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(each -> each.toString().endsWith(".part")).toList();
        }
    }
}
