package dev.windrow.postgres.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.testserver.PostgresServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A store that is given a URL and connects to the server. */
class ReachTest {
    /** The operation timeout. A pool tries again for half of it before it fails. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static PostgresStore at(String url) {
        return PostgresStore.configure(url).operationTimeout(PATIENCE).build();
    }

    @Test
    void anUnreachableServerIsNamedAtOnce() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        long begin = System.nanoTime();
        PostgresStore store = at("jdbc:postgresql://127.0.0.1:%d/db?password=secret".formatted(port));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(store::exists)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("127.0.0.1:%d/db failed: the server cannot be used now: ".formatted(port))
                    .hasMessageContaining("refused")
                    .hasMessageNotContaining("secret");
        }
        assertThat(System.nanoTime() - begin).isLessThan(PATIENCE.toNanos() / 4);
    }

    @Test
    void anUnknownHostIsNamed() {
        PostgresStore store = at("jdbc:postgresql://nosuch.invalid/db");
        assertThatThrownBy(store::exists)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("the host nosuch.invalid is not known");
    }

    @Test
    void aRefusalOfTheServerIsReportedAtOnceInItsWords() {
        String url = PostgresServer.shared().url().replaceFirst("/[^/?]*(\\?|$)", "/nosuch$1");
        long begin = System.nanoTime();
        PostgresStore store = at(url);
        assertThatThrownBy(store::exists)
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("database \"nosuch\" does not exist");
        assertThat(System.nanoTime() - begin).isLessThan(PATIENCE.toNanos() / 4);
    }

    @Test
    void theStoreWaitsForAServerWithoutFreeConnections() throws Exception {
        Deque<Connection> all = new ArrayDeque<>();
        try (PostgresServer server = PostgresServer.start("max_connections=4", "superuser_reserved_connections=0")) {
            try {
                while (true) {
                    all.add(server.dataSource().getConnection());
                }
            } catch (SQLException e) {
                assertThat(e.getSQLState()).isEqualTo("53300");
            }
            Duration patience = Duration.ofSeconds(1);
            PostgresStore store = PostgresStore.configure(server.url())
                    .operationTimeout(patience)
                    .build();
            long begin = System.nanoTime();
            assertThatThrownBy(store::exists)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("the server cannot be used now: FATAL: sorry, too many clients already")
                    .hasMessageContaining("each process needs 4 connections while it works: raise max_connections");
            assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(patience.toNanos() / 2);
            all.remove().close();
            // The server needs a moment to notice that a connection is free.
            assertThat(Awaitility.await()
                            .atMost(PATIENCE)
                            .ignoreException(StoreUnavailableException.class)
                            .until(store::exists, exists -> true))
                    .isFalse();
            for (Connection each : all) {
                each.close();
            }
        }
    }
}
