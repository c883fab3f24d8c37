package dev.windrow.tests.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.dashboard.DashboardOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests that no usual client sends: bytes on a socket. The servlet or its container refuses each, nothing is written, and the next request is answered. */
class RawRequestTest extends HttpTest {
    private static final String JOB = "{\"type\":\"a\"}";

    /** A connection to the server. */
    private final class Connection implements AutoCloseable {
        private final Socket socket;

        Connection() throws IOException {
            URI uri = request("").build().uri();
            socket = new Socket(uri.getHost(), uri.getPort());
            socket.setSoTimeout(60_000);
        }

        /** Sends text, each character a byte. False if the server has closed the connection. */
        boolean send(String text) throws IOException {
            try {
                socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
                return true;
            } catch (SocketException e) {
                return false;
            }
        }

        /** Returns the status line, and perhaps the first byte of what follows; empty if the connection was closed without an answer. */
        String status() throws IOException {
            StringBuilder line = new StringBuilder();
            InputStream in = socket.getInputStream();
            try {
                for (int c = in.read(); c >= 0 && c != '\r'; c = in.read()) {
                    line.append((char) c);
                }
            } catch (SocketException e) {
                // Reset by the server, which did not want the rest of the request.
            }
            return line.toString();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Returns the status line of the answer to a GET. */
    private String fetch(String target, String... headers) throws IOException {
        try (Connection connection = new Connection()) {
            connection.send("GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer admin\r\n%s\r\n"
                    .formatted(
                            target,
                            String.join(
                                    "",
                                    List.of(headers).stream()
                                            .map(header -> header + "\r\n")
                                            .toList())));
            return connection.status();
        }
    }

    private static String post(String role, int length) {
        return "POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                .formatted(role, length);
    }

    private void nothingIsWritten() {
        assertThat(windrow.monitor().statistics().states().values()).containsOnly(0L);
        get("viewer", "jobs").is(200);
    }

    @Test
    void hostilePathsLeadNowhere() throws IOException {
        windrow.queue("mail").pause();
        for (String path : List.of(
                "/../api/v1/jobs",
                "/../../etc/passwd",
                "/%2e%2e/%2e%2e/etc/passwd",
                "/..%2f..%2fetc%2fpasswd",
                "/api/v1/jobs/..;/..;/x",
                "/api/v1/%00",
                "/api/v1/jobs/1%00",
                "/api/v1/jobs/\0",
                "/api/v1/jobs/%ff",
                "/api/v1/jobs/%c0%ae",
                "/api/v1/jobs/%zz",
                "/api/v1/jobs/%2",
                "/api/v1/jobs/\u00e4",
                "/api%5cv1%5cjobs",
                "/api\\v1\\jobs",
                "/api%2fv1%2fjobs",
                "/health%2flive",
                "/health/live/%2e%2e/ready",
                "/WEB-INF/web.xml",
                "/META-INF/MANIFEST.MF",
                "/" + "x/".repeat(3000),
                "/api/v1/jobs?limit=%zz",
                "/api/v1/jobs?limit=%c3%28",
                "/api/v1/jobs?type=\u00e4")) {
            assertThat(fetch(path)).as(path).matches("(HTTP/1.1 4.*)?");
        }
        nothingIsWritten();
    }

    @Test
    void namesMayHaveSlashesAndDots() {
        for (String name : List.of("a%2fb", "a%2F..%2Fb", "%3Cscript%3E", "a%3Bb", "a%20b%2B", "%E2%80%AE")) {
            put("admin", "controls/keys/" + name, "{\"paused\":true}").is(200);
            get("admin", "controls/keys/" + name).is(200);
            assertThat(delete("admin", "controls/keys/" + name)
                            .is(200)
                            .json()
                            .get("paused")
                            .asBoolean())
                    .isFalse();
        }
    }

    @Test
    void anotherHostInAnyFormIsRefused() throws Exception {
        serve(DashboardOptions.DEFAULTS.withHosts(List.of("127.0.0.1", "[::1]")), HttpTest::access);
        String path = "/api/v1/jobs";
        assertThat(fetch(path)).startsWith("HTTP/1.1 200");
        for (String host : List.of(
                "evil.example",
                "evil.example:80",
                "127.0.0.1.evil.example",
                "127.0.0.1@evil.example",
                "localhost",
                "")) {
            try (Connection connection = new Connection()) {
                connection.send(
                        "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer admin\r\n\r\n".formatted(path, host));
                assertThat(connection.status()).as(host).matches("HTTP/1.1 (400|403).*");
            }
        }
        assertThat(fetch(path, "Host: evil.example")).startsWith("HTTP/1.1 400");
        assertThat(fetch("http://evil.example" + path)).matches("HTTP/1.1 (400|403).*");
        assertThat(fetch(path, "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example"))
                .startsWith("HTTP/1.1 200");
    }

    @Test
    void anUnknownSenderIsRefusedBeforeItsBodyArrives() throws IOException {
        for (String role : List.of("", "viewer")) {
            try (Connection connection = new Connection()) {
                connection.send(post(role, 1000).replace("Authorization: Bearer \r\n", ""));
                assertThat(connection.status()).matches("HTTP/1.1 40[13].*");
            }
        }
        try (Connection connection = new Connection()) {
            connection.send(post("producer", 10 << 20));
            assertThat(connection.status()).startsWith("HTTP/1.1 413");
        }
        nothingIsWritten();
    }

    @Test
    void bodiesThatComeSlowlyDoNotKeepOthersWaiting() throws IOException {
        List<Connection> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                Connection connection = new Connection();
                slow.add(connection);
                connection.send(post("producer", JOB.length()) + JOB.charAt(0));
            }
            nothingIsWritten();
            for (Connection connection : slow) {
                connection.send(JOB.substring(1));
                assertThat(connection.status()).startsWith("HTTP/1.1 201");
            }
        } finally {
            for (Connection connection : slow) {
                connection.close();
            }
        }
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.PENDING, 100L);
    }

    @Test
    void aBodyThatStopsIsCutOff() throws Exception {
        idle = Duration.ofMillis(500);
        serve(DashboardOptions.DEFAULTS, HttpTest::access);
        try (Connection connection = new Connection()) {
            connection.send(post("producer", JOB.length()) + JOB.charAt(0));
            assertThat(connection.status()).doesNotContain(" 2");
        }
        nothingIsWritten();
    }

    /** Takes half a minute: no container ends a connection that sends something now and then. */
    @Test
    @Tag("soak")
    void aBodyThatTricklesIsCutOff() throws IOException {
        ScheduledExecutorService trickle = Executors.newSingleThreadScheduledExecutor();
        try (Connection connection = new Connection()) {
            connection.send(post("producer", 1_000_000));
            var unused = trickle.scheduleWithFixedDelay(
                    () -> {
                        try {
                            connection.send(" ");
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    },
                    0,
                    200,
                    TimeUnit.MILLISECONDS);
            assertThat(connection.status()).matches("(HTTP/1.1 400.*)?");
        } finally {
            trickle.shutdownNow();
        }
        nothingIsWritten();
    }

    @Test
    void brokenRequestsAreRefused() throws IOException {
        for (String request : List.of(
                "nonsense\r\n\r\n",
                "GET / HTTP/9.9\r\n\r\n",
                "GET /api/v1/jobs HTTP/1.1\r\n\r\n",
                "POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\nContent-Length: -1\r\n\r\n",
                "POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\nContent-Length: 12\r\nContent-Length: 1\r\n\r\n"
                        + JOB,
                "POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
                        + JOB,
                "GET /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nX: %s\r\n\r\n".formatted("x".repeat(100_000)))) {
            try (Connection connection = new Connection()) {
                connection.send(request);
                assertThat(connection.status()).as(request.substring(0, 8)).matches("(HTTP/1.1 [45].*)?");
            }
        }
        nothingIsWritten();
    }
}
