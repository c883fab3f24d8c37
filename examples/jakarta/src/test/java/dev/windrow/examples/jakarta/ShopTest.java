package dev.windrow.examples.jakarta;

import dev.windrow.Store;
import dev.windrow.examples.plain.RunningShop;
import dev.windrow.examples.plain.ShopContract;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.testserver.PostgresServer;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The shop in Payara Micro. */
class ShopTest extends ShopContract {
    private static final Path BUILT = Path.of(System.getProperty("shop.folder"));

    @TempDir
    Path folder;

    private final PostgresServer server = PostgresServer.start();

    @AfterEach
    void stopServer() {
        server.close();
    }

    @Override
    protected RunningShop start(int printMillis) throws Exception {
        return RunningShop.start(
                "^http://[^:]+:(\\d+)/$",
                List.of(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dshop.db.url=" + server.url(),
                        "-Dshop.print-millis=" + printMillis,
                        "-jar",
                        BUILT.resolve("payara-micro.jar").toString(),
                        "--rootdir",
                        folder.resolve("server").toString(),
                        "--deploy",
                        BUILT.resolve("shop.war").toString(),
                        "--contextroot",
                        "/",
                        "--port",
                        String.valueOf(freePort()),
                        "--nocluster",
                        "--disablephonehome"));
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Override
    protected Store store() {
        return PostgresStore.at(server.url());
    }
}
