package dev.windrow.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.sqlite.Durability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuTimeTest {
    @TempDir
    private Path folder;

    @Test
    void writerAndCallerOfAStoreAreFoundAndTheirTimesGrow() {
        try (Windrow windrow = new FileDatabase(folder.resolve("a.db"), Durability.NORMAL).open()) {
            CpuTime cpu = new CpuTime();
            Work.enqueue(windrow, 3000, "x");
            BenchReport.CpuMicros micros = cpu.of(3000);
            assertThat(micros.writer()).isNotNegative();
            assertThat(micros.callers()).isPositive();
            assertThat(micros.process()).isNotNegative();
        }
    }

    @Test
    void slotsThatBeginLaterCount() throws Exception {
        try (Windrow windrow = new FileDatabase(folder.resolve("a.db"), Durability.NORMAL).open()) {
            Work.enqueue(windrow, 3000, "x");
            CpuTime cpu = new CpuTime();
            try (Worker worker = Work.start(windrow, 2)) {
                assertThat(worker.awaitIdle(Duration.ofMinutes(1))).isTrue();
                BenchReport.CpuMicros micros = cpu.of(3000);
                assertThat(micros.writer()).isPositive();
                assertThat(micros.slots()).isPositive();
                assertThat(micros.rest()).isNotNegative();
            }
        }
    }

    @Test
    void aGroupOfWhichAThreadHasEndedHasNoTime() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Thread ending = new Thread(() -> assertThatCode(end::await).doesNotThrowAnyException(), "windrow-writer-b.db");
        ending.start();
        try (Windrow windrow = new FileDatabase(folder.resolve("a.db"), Durability.NORMAL).open()) {
            CpuTime cpu = new CpuTime();
            assertThat(cpu.of(1).writer()).isNotNegative();
            end.countDown();
            ending.join();
            assertThat(cpu.of(1).writer()).isNull();
            assertThat(cpu.of(1).rest()).isNull();
            assertThat(new CpuTime().of(1).writer()).isNotNegative();
        }
    }

    @Test
    void theRestIsTheProcessWithoutTheGroups() {
        assertThat(new BenchReport.CpuMicros(9.0, 4.0, 2.0, 1.0).rest()).isEqualTo(2.0);
        assertThat(new BenchReport.CpuMicros(0.0, 4.0, 2.0, 1.0).rest()).isZero();
    }

    @Test
    void onlyThreadsThatWriteCount() {
        assertThat(List.of("windrow-writer-a.db", "windrow-work-jdbc", "windrow-claims-jdbc"))
                .allMatch(CpuTime::isWriter);
        assertThat(List.of("windrow-writer-watch-a.db", "windrow-alive-jdbc", "my-windrow-writer-a.db", "main"))
                .noneMatch(CpuTime::isWriter);
    }

    @Test
    void onlySlotsAndTheThreadsThatCarryThemCount() {
        assertThat(List.of("host-4711-1/3", "ForkJoinPool-1-worker-2")).allMatch(CpuTime::isSlot);
        assertThat(List.of("windrow-dispatch-host-4711-1", "ForkJoinPool.commonPool-worker-1", "main"))
                .noneMatch(CpuTime::isSlot);
    }
}
