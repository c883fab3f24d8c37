package dev.windrow.spring.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.spring.app.Cell.StoreKind;
import dev.windrow.spring.app.RunningShop.Place;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** SIGTERM while jobs run, again and again on one database. {@code -Dmatrix=all} does it twenty times on each. */
@Tag("once")
class ShutdownTest {
    private static final int JOBS = 40;

    @TempDir
    Path folder;

    static Stream<StoreKind> stores() {
        return isAll() ? Stream.of(StoreKind.values()) : Stream.of(StoreKind.SQLITE);
    }

    private static boolean isAll() {
        return System.getProperty("windrow.matrix", "default").equals("all");
    }

    @ParameterizedTest
    @MethodSource("stores")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void nothingIsLostAndNothingIsDoneTwice(StoreKind store) throws Exception {
        Cell cell = new Cell("3.5", MatrixTest.thisJava(), store, Cell.all());
        Place place = Place.of(store, folder);
        int times = isAll() ? 20 : 2;
        for (int i = 0; i < times; i++) {
            // Every other time the drain is too short for the jobs that run.
            boolean drains = i % 2 == 0;
            String drain = drains ? "20s" : "100ms";
            try (RunningShop shop =
                    RunningShop.start(cell, place, MatrixTest.CLASSES, "windrow.worker.drain-timeout=" + drain)) {
                long before = charges(shop);
                shop.post("/many/%d?count=%d&millis=%d".formatted(1000L * (i + 1), JOBS, drains ? 100 : 600), "");
                await().atMost(Duration.ofSeconds(60)).until(() -> charges(shop) > before);
                Books.requireGoodEnd(shop, 25_000);
                if (drains) {
                    assertThat(shop.output()).doesNotContain("INTERRUPTED");
                }
            }
            Books.require(place, (long) JOBS * (i + 1));
        }
        long all = (long) JOBS * times;
        try (RunningShop shop = RunningShop.start(cell, place, MatrixTest.CLASSES)) {
            await().atMost(Duration.ofMinutes(5)).until(() -> charges(shop) == all);
            Books.requireGoodEnd(shop, 25_000);
        }
        assertThat(Books.require(place, all)).as("completed jobs").isEqualTo(all);
    }

    private static long charges(RunningShop shop) throws Exception {
        return Long.parseLong(shop.get("/charges").body());
    }
}
