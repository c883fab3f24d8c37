package dev.windrow.tests.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.DashboardOptions;
import dev.windrow.dashboard.Role;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.tests.engine.FaultyStore;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What a hostile page or client cannot do. */
class SafetyTest extends HttpTest {
    private static final String FORM = "application/x-www-form-urlencoded";

    private HttpRequest.Builder change() {
        return request("api/v1/jobs")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"type\":\"a\"}"));
    }

    /** A policy that knows its users by something that a browser sends by itself, such as a cookie. */
    private void serveWithCookie(DashboardOptions options) throws Exception {
        serve(options, request -> Access.of("alice", Role.ADMIN));
    }

    private long jobs() {
        return windrow.monitor().statistics().states().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    @Test
    void aPageOfAnotherOriginChangesNothing() throws Exception {
        serveWithCookie(DashboardOptions.DEFAULTS.withTrustedOrigins(List.of("https://ops.example.org")));
        String own = change().build().uri().resolve("/").toString().replaceAll("/$", "");
        Reply refused =
                send(change().header("Origin", "https://evil.example")).isProblem(403, "cross-origin", "evil.example");
        // Its body was not read, so the next request needs another connection.
        assertThat(refused.header("Connection")).isEqualTo("close");
        send(change().header("Origin", "null")).isProblem(403, "cross-origin");
        send(change().header("Origin", own.replace("127.0.0.1", "localhost"))).isProblem(403, "cross-origin");
        send(change().header("Sec-Fetch-Site", "cross-site")).isProblem(403, "cross-origin");
        send(change().header("Sec-Fetch-Site", "same-site")).isProblem(403, "cross-origin");
        send(change().header("Sec-Fetch-Site", "cross-site").header("Origin", own))
                .isProblem(403, "cross-origin");
        send(change().header("Origin", "https://evil.example").header("Authorization", "Bearer x"))
                .isProblem(403, "cross-origin");
        assertThat(jobs()).isZero();

        send(change()).is(201);
        send(change().header("Origin", own)).is(201);
        send(change().header("Sec-Fetch-Site", "same-origin").header("Origin", "http://behind-a-proxy"))
                .is(201);
        send(change().header("Sec-Fetch-Site", "none")).is(201);
        send(change().header("Sec-Fetch-Site", "cross-site").header("Origin", "https://ops.example.org"))
                .is(201);
        // A read changes nothing, and the page cannot see the answer.
        Reply read = send(request("api/v1/jobs")
                        .header("Origin", "https://evil.example")
                        .GET())
                .is(200);
        assertThat(read.header("Access-Control-Allow-Origin")).isEmpty();
        send(request("api/v1/jobs").method("OPTIONS", BodyPublishers.noBody()).header("Authorization", "Bearer x"))
                .isProblem(405, "method-not-allowed");
    }

    @Test
    void aBodyMustBeJson() throws Exception {
        serveWithCookie(DashboardOptions.DEFAULTS);
        for (String type : List.of("text/plain", FORM, "application/json;charset=iso-8859-1", "application/jsonx")) {
            send(request("api/v1/jobs").header("Content-Type", type).POST(BodyPublishers.ofString("{\"type\":\"a\"}")))
                    .isProblem(415, "unsupported-media-type", "application/json");
        }
        send(request("api/v1/jobs").POST(BodyPublishers.ofString("{\"type\":\"a\"}")))
                .isProblem(415, "unsupported-media-type", "application/json");
        send(request("api/v1/jobs/1/cancel").header("Content-Type", FORM).POST(BodyPublishers.noBody()))
                .isProblem(415, "unsupported-media-type");
        assertThat(jobs()).isZero();
        send(request("api/v1/jobs")
                        .header("Content-Type", "Application/JSON; charset=\"UTF-8\"")
                        .POST(BodyPublishers.ofString("{\"type\":\"a\"}")))
                .is(201);
    }

    @Test
    void aBodyThatIsTooLongIsRefused() throws Exception {
        String large = "{\"type\":\"a\",\"payload\":\"%s\"}".formatted("x".repeat(10 << 20));
        post("admin", "jobs", large).isProblem(413, "too-large", "4194304");
        serve(DashboardOptions.DEFAULTS.withMaxBodyBytes(1024), HttpTest::access);
        post("admin", "jobs", "{\"type\":\"a\",\"payload\":\"%s\"}".formatted("x".repeat(1024)))
                .isProblem(413, "too-large");
        // Without a length, in chunks.
        byte[] bytes = "{\"type\":\"a\",\"payload\":\"%s\"}"
                .formatted("x".repeat(2000))
                .getBytes(StandardCharsets.UTF_8);
        send(as("admin", "jobs")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofByteArrays(List.of(bytes))))
                .isProblem(413, "too-large");
        assertThat(jobs()).isZero();
    }

    @Test
    void eachAnswerHasTheHeadersThatBrowsersNeed() {
        for (Reply reply : List.of(
                get("viewer", "jobs"),
                get("viewer", "nosuch"),
                send(request("").GET()),
                send(request("api/v1/jobs").GET()),
                send(request("health/live").GET()))) {
            assertThat(reply.header("Content-Security-Policy"))
                    .isEqualTo(
                            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
                                    + " worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
            assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(reply.header("Referrer-Policy")).isEqualTo("no-referrer");
            assertThat(reply.header("Cache-Control")).isEqualTo("no-store");
            assertThat(reply.header("Set-Cookie")).isEmpty();
        }
    }

    @Test
    void anUnchangedAnswerIsNotSentAgain() {
        var job = enqueue("a");
        Reply first = get("viewer", "jobs/" + job).is(200);
        String tag = first.header("ETag");
        assertThat(tag).matches("\"[0-9]+-[A-Za-z0-9_-]{22}\"");
        Reply second = send(as("viewer", "jobs/" + job)
                        .header("If-None-Match", "\"x\", " + tag)
                        .GET())
                .is(304);
        assertThat(second.text()).isEmpty();
        assertThat(second.header("ETag")).isEqualTo(tag);
        windrow.job(job).cancel();
        Reply third = send(as("viewer", "jobs/" + job)
                        .header("If-None-Match", tag)
                        .GET())
                .is(200);
        assertThat(third.header("ETag")).isNotEqualTo(tag);
        Reply head = send(as("viewer", "jobs/" + job).method("HEAD", BodyPublishers.noBody()))
                .is(200);
        assertThat(head.header("ETag")).isEqualTo(third.header("ETag"));
        assertThat(head.header("Content-Length")).isEqualTo(third.header("Content-Length"));
        assertThat(head.text()).isEmpty();
    }

    @Test
    void anotherMethodIsRefusedWithTheAllowedOnes() {
        Reply reply = put("admin", "jobs", "{}").isProblem(405, "method-not-allowed", "GET, HEAD, POST");
        assertThat(reply.header("Allow")).isEqualTo("GET, HEAD, POST");
        assertThat(delete("admin", "jobs/1/cancel")
                        .isProblem(405, "method-not-allowed")
                        .header("Allow"))
                .isEqualTo("POST");
    }

    @Test
    void aHostOfAnotherNameIsRefused() throws Exception {
        serve(DashboardOptions.DEFAULTS.withHosts(List.of("localhost", "Jobs.example.org")), HttpTest::access);
        get("viewer", "jobs").isProblem(403, "cross-origin", "host '127.0.0.1'");
        send(request("").GET()).isProblem(403, "cross-origin");
        send(request("health/live").GET()).is(200);
        serve(DashboardOptions.DEFAULTS.withHosts(List.of("127.0.0.1")), HttpTest::access);
        get("viewer", "jobs").is(200);
    }

    @Test
    void waitsBeyondTheLimitAreRefusedAndOtherRequestsAreAnswered() throws Exception {
        var job = enqueue("a");
        ExecutorService clients = Executors.newFixedThreadPool(100);
        try {
            List<Callable<Reply>> calls = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                calls.add(() -> get("viewer", "jobs/" + job + "/wait?timeout=60s"));
            }
            List<Future<Reply>> replies = calls.stream().map(clients::submit).toList();
            // 68 are refused at once. The others end with the job.
            while (replies.stream().filter(Future::isDone).count() < 68) {
                Thread.onSpinWait();
            }
            get("viewer", "jobs/" + job).is(200);
            windrow.job(job).cancel();
            int refused = 0;
            for (Future<Reply> future : replies) {
                Reply reply = future.get();
                if (reply.status() == 429) {
                    assertThat(reply.isProblem(429, "too-many-requests").header("Retry-After"))
                            .isEqualTo("1");
                    refused++;
                } else {
                    assertThat(reply.is(200).json().get("state").asString()).isEqualTo("CANCELLED");
                }
            }
            assertThat(refused).isEqualTo(68);
        } finally {
            clients.shutdownNow();
        }
        assertThat(windrow.job(job).info().state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void clientsThatDoNotReadTheirAnswersDoNotStopOtherReads() throws Exception {
        Metadata large = Metadata.parse("{\"text\":\"%s\"}".formatted("x".repeat(8000)));
        windrow.enqueueAll(
                Collections.nCopies(200, JobType.raw("a").job(new Json("1")).withMetadata(large)));
        var uri = request("api/v1/jobs?limit=200").build().uri();
        List<Socket> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                Socket socket = new Socket();
                clients.add(socket);
                socket.setReceiveBufferSize(4096);
                socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()));
                socket.getOutputStream()
                        .write(
                                ("GET /api/v1/jobs?limit=200 HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer viewer\r\n\r\n"
                                                .formatted(uri.getAuthority()))
                                        .getBytes(StandardCharsets.US_ASCII));
                // The server writes this answer now, and cannot end.
                assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                        .isEqualTo("HTTP/1.1 200");
            }
            get("viewer", "jobs?limit=1").is(200);
        } finally {
            for (Socket socket : clients) {
                socket.close();
            }
        }
    }

    @Test
    void theHeadOfAStreamReadsNothing() throws Exception {
        FaultyStore faults = reopen();
        enqueue("a");
        faults.unreadable = true;
        Reply head = send(as("admin", "export").method("HEAD", BodyPublishers.noBody()))
                .is(200);
        assertThat(head.header("Content-Type")).isEqualTo("application/x-ndjson");
        get("admin", "export").isProblem(503, "store-unavailable");
    }

    @Test
    void anErrorAfterAChangeDoesNotSayThatNothingWasChanged() throws Exception {
        FaultyStore faults = reopen();
        var job = enqueue("a");
        faults.change = real -> change -> real.apply(change).whenComplete((done, e) -> faults.unreadable = true);
        Reply reply =
                post("admin", "jobs/" + job + "/cancel", "{}").isProblem(503, "outcome-unknown", "a change was made");
        assertThat(reply.json().at("/ids/0").asString()).isEqualTo(job.toString());
        faults.unreadable = false;
        assertThat(windrow.job(job).info().state()).isEqualTo(JobState.CANCELLED);
        faults.unreadable = true;
        post("admin", "jobs/" + job + "/retry", "{}").isProblem(503, "store-unavailable", "nothing was changed");
    }

    private FaultyStore reopen() throws Exception {
        windrow.close();
        FaultyStore faults = new FaultyStore(target.newStore());
        windrow = Windrow.open(faults);
        serve(DashboardOptions.DEFAULTS, HttpTest::access);
        return faults;
    }

    @Test
    void fiveHundredRequestsAtOnceAreAnsweredOrRefused() throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(500);
        try {
            List<Callable<Reply>> calls = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                boolean read = i % 2 == 0;
                calls.add(() -> read ? get("viewer", "jobs") : post("producer", "jobs", "{\"type\":\"a\"}"));
            }
            int made = 0;
            for (Future<Reply> future : clients.invokeAll(calls)) {
                Reply reply = future.get();
                assertThat(reply.status()).as(reply.text()).isIn(200, 201, 429);
                made += reply.status() == 201 ? 1 : 0;
            }
            assertThat(jobs()).isEqualTo(made);
        } finally {
            clients.shutdownNow();
        }
        get("viewer", "jobs").is(200);
    }

    @Test
    void aBodyThatEndsEarlyWritesNothing() throws Exception {
        var uri = request("api/v1/jobs").build().uri();
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(
                    ("POST /api/v1/jobs HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"type\":\"a\"}"
                                    .formatted(uri.getAuthority()))
                            .getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).doesNotStartWith("HTTP/1.1 2");
        }
        assertThat(jobs()).isZero();
    }

    @Test
    void anUnexpectedErrorShowsNothingButAnId() throws Exception {
        serve(DashboardOptions.DEFAULTS, request -> {
            throw new IllegalStateException("password=secret SELECT 1");
        });
        Reply reply = get("viewer", "jobs").isProblem(500, "internal");
        assertThat(reply.text()).doesNotContain("secret");
        assertThat(reply.json().get("id").asString()).matches("[0-9a-f]{8}");
        windrow.close();
        serve(DashboardOptions.DEFAULTS, HttpTest::access);
        Reply closed = get("viewer", "jobs").isProblem(503, "store-unavailable");
        assertThat(closed.header("Retry-After")).isEqualTo("1");
        assertThat(send(request("health/ready").GET()).is(503).text()).isEqualTo("not ready\n");
        send(request("health/live").GET()).is(200);
    }
}
