package dev.windrow.examples.micronaut;

import dev.windrow.Store;
import dev.windrow.examples.plain.RunningShop;
import dev.windrow.examples.plain.ShopContract;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** The shop on Micronaut. */
class ShopTest extends ShopContract {
    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("shop.db");
    }

    @Override
    protected RunningShop start(int printMillis) throws Exception {
        return RunningShop.start(
                "Server Running: http://[^:]+:(\\d+)",
                "Started oejs.ServerConnector.*:(\\d+)",
                List.of(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dmicronaut.server.port=-1",
                        "-Dshop.jobs-port=0",
                        "-Dshop.file=" + file(),
                        "-Dshop.print-millis=" + printMillis,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Shop.class.getName()));
    }

    @Override
    protected Store store() {
        return SqliteStore.at(file());
    }
}
