package dev.windrow.examples.quarkus;

import dev.windrow.Store;
import dev.windrow.examples.plain.RunningShop;
import dev.windrow.examples.plain.ShopContract;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.testserver.PostgresServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** The shop on Quarkus, as its package starts it. */
class ShopTest extends ShopContract {
    private final PostgresServer server = PostgresServer.start();

    @AfterEach
    void stopServer() {
        server.close();
    }

    @Override
    protected RunningShop start(int printMillis) throws Exception {
        return RunningShop.start(
                "Listening on: http://[^:]+:(\\d+)",
                List.of(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dquarkus.http.port=0",
                        "-Dquarkus.datasource.jdbc.url=" + server.url(),
                        "-Dshop.print-millis=" + printMillis,
                        "-jar",
                        System.getProperty("shop.jar")));
    }

    @Override
    protected Store store() {
        return PostgresStore.at(server.url());
    }
}
