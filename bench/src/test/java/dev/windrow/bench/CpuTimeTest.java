package dev.windrow.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Windrow;
import dev.windrow.sqlite.Durability;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuTimeTest {
    @TempDir
    private Path folder;

    @Test
    void theWriterOfAStoreIsFoundAndItsTimeGrows() {
        try (Windrow windrow = new FileDatabase(folder.resolve("a.db"), Durability.NORMAL).open()) {
            CpuTime cpu = new CpuTime();
            Work.enqueue(windrow, 3000, "x");
            assertThat(cpu.of(3000).writer()).isPositive();
            assertThat(cpu.of(3000).process()).isNotNegative();
        }
    }

    @Test
    void onlyThreadsThatWriteCount() {
        assertThat(List.of("windrow-writer-a.db", "windrow-work-jdbc", "windrow-claims-jdbc"))
                .allMatch(CpuTime::isWriter);
        assertThat(List.of("windrow-writer-watch-a.db", "windrow-alive-jdbc", "my-windrow-writer-a.db", "main"))
                .noneMatch(CpuTime::isWriter);
    }
}
