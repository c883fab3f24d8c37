package dev.windrow.examples.plain;

import dev.windrow.Store;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** The shop without a framework. */
class ShopTest extends ShopContract {
    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("shop.db");
    }

    @Override
    protected RunningShop start(int printMillis) throws Exception {
        return RunningShop.start(
                "Listening on port (\\d+)",
                List.of(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dshop.print-millis=" + printMillis,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Shop.class.getName(),
                        file().toString(),
                        "0"));
    }

    @Override
    protected Store store() {
        return SqliteStore.at(file());
    }
}
