package dev.windrow.tests.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.Windrow;
import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.CommandTest;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code windrow serve} from outside. */
class ServeTest extends CommandTest {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** A server at work in this process, and its URL. */
    private record Served(Cli.AtWork command, URI url, String credentials) {
        HttpRequest.Builder request(String path) {
            HttpRequest.Builder request = HttpRequest.newBuilder(url.resolve(path));
            return credentials.isEmpty() ? request : request.header("Authorization", credentials);
        }

        HttpResponse<String> get(String path) {
            return send(request(path).GET());
        }

        HttpResponse<String> post(String path, String body) {
            return send(request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body)));
        }

        Served with(String others) {
            return new Served(command, url, others);
        }

        void stop() throws Exception {
            assertThat(command.signal().end().status()).isZero();
        }
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode json(HttpResponse<String> response) {
        return JsonMapper.shared().readTree(response.body());
    }

    private Served serve(String... options) {
        List<String> words = new ArrayList<>(List.of("serve", "--json", "--listen", "127.0.0.1:0"));
        words.addAll(List.of(options));
        Cli.AtWork command = cli.begin(words.toArray(String[]::new));
        await().atMost(Cli.DEADLINE)
                .until(() -> command.command().out().contains("}")
                        || command.status().isDone());
        assertThat(command.command().err()).doesNotContain("Exception");
        String url =
                JsonMapper.shared().readTree(command.command().out()).get("url").asString();
        int token = url.indexOf("#token=");
        return new Served(
                command,
                URI.create(token < 0 ? url : url.substring(0, token)),
                token < 0 ? "" : "Bearer " + url.substring(token + "#token=".length()));
    }

    @Test
    void thePrintedTokenOpensTheApi() throws Exception {
        Served server = serve();
        assertThat(server.with("").get("api/v1/jobs").statusCode()).isEqualTo(401);
        assertThat(server.with("Bearer x").get("api/v1/jobs").statusCode()).isEqualTo(401);
        assertThat(server.with("").get("").body()).contains("<script type=\"module\"");
        HttpResponse<String> enqueued = server.post("api/v1/jobs", "{\"type\":\"a\"}");
        assertThat(enqueued.statusCode()).as(enqueued.body()).isEqualTo(201);
        String id = json(enqueued).get("id").asString();
        assertThat(state(id)).isEqualTo("PENDING");
        assertThat(server.get("api/v1/jobs/" + id).body())
                .isEqualTo(cli.run("show", id, "--json").out());
        assertThat(server.post("api/v1/jobs/" + id + "/cancel", "{}").statusCode())
                .isEqualTo(200);
        assertThat(server.post("api/v1/jobs/" + id + "/retry", "{}").statusCode())
                .isEqualTo(200);
        assertThat(server.get("api/v1/jobs/" + id + "/explain").body())
                .isEqualTo(cli.run("explain", id, "--json").out());
        assertThat(cli.json("audit", "--json").at("/audit/0/actor").asString()).startsWith("http:");
        assertThat(server.get("api/v1/jobs/" + id + "?reveal=true").statusCode())
                .isEqualTo(200);
        JsonNode reveal = cli.json("audit", "--action", "reveal", "--json").get("audit");
        assertThat(reveal).hasSize(1);
        assertThat(reveal.at("/0/jobs/0/id").asString()).isEqualTo(id);
        assertThat(cli.run("audit", "--action", "reveal").out()).containsPattern("REVEAL +1 +http:.* " + id + "\\n");
        assertThat(send(server.request("api/v1/jobs")
                                .header("Origin", "http://evil.example")
                                .POST(BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(403);
        server.stop();
    }

    @Test
    void twoServersOnOneQueueAgree() throws Exception {
        Served one = serve();
        Served two = serve();
        for (int i = 0; i < 20; i++) {
            Served writer = i % 2 == 0 ? one : two;
            Served reader = i % 2 == 0 ? two : one;
            String id = json(writer.post("api/v1/jobs", "{\"type\":\"a\"}"))
                    .get("id")
                    .asString();
            assertThat(json(reader.get("api/v1/jobs/" + id)).get("state").asString())
                    .isEqualTo("PENDING");
            assertThat(reader.post("api/v1/jobs/" + id + "/cancel", "{}").statusCode())
                    .isEqualTo(200);
            assertThat(writer.post("api/v1/jobs/" + id + "/cancel", "{}").statusCode())
                    .isEqualTo(409);
        }
        one.stop();
        two.stop();
    }

    @Test
    void aReadOnlyServerChangesNothing() throws Exception {
        String id = cli.enqueue("a");
        String traces = "https://traces.example.org/trace/{traceId}";
        Served server = serve("--read-only", "--label", "staging", "--trace-link", traces);
        assertThat(json(server.get("api/v1/")).get("label").asString()).isEqualTo("staging");
        assertThat(json(server.get("api/v1/")).get("traceLink").asString()).isEqualTo(traces);
        assertThat(server.get("api/v1/jobs/" + id).statusCode()).isEqualTo(200);
        HttpResponse<String> refused = server.post("api/v1/jobs/" + id + "/cancel", "{}");
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("read-only");
        assertThat(server.post("api/v1/jobs", "{\"type\":\"a\"}").statusCode()).isEqualTo(403);
        HttpResponse<String> hidden = server.get("api/v1/jobs/" + id + "/payload");
        assertThat(hidden.statusCode()).isEqualTo(403);
        assertThat(hidden.body()).contains("cannot record who reads confidential values");
        server.stop();
        assertThat(state(id)).isEqualTo("PENDING");
    }

    @Test
    void anOpenServerLetsEveryUserOfTheMachineLook() throws Exception {
        cli.enqueue("a");
        Served server = serve("--open", "--prefix", "/queue");
        assertThat(server.url().getPath()).isEqualTo("/queue/");
        assertThat(json(server.get("api/v1/jobs")).get("jobs")).hasSize(1);
        assertThat(server.post("api/v1/jobs", "{\"type\":\"a\"}").statusCode()).isEqualTo(403);
        assertThat(server.get("/api/v1/jobs").statusCode()).isEqualTo(404);
        server.stop();
    }

    @Test
    void otherMachinesNeedCredentials() {
        for (String[] options : new String[][] {{}, {"--open"}}) {
            List<String> words = new ArrayList<>(List.of("serve", "--listen", "0.0.0.0:0"));
            words.addAll(List.of(options));
            Cli.Result refused = cli.run(words.toArray(String[]::new));
            assertThat(refused.status()).isEqualTo(2);
            assertThat(refused.err()).contains("'0.0.0.0:0' is not allowed without credentials");
        }
        assertThat(cli.run("serve", "--listen", "8127").err()).contains("--listen: '8127' is not allowed");
        assertThat(cli.run("serve", "--listen", "127.0.0.1:65536").status()).isEqualTo(2);
        assertThat(cli.run("serve", "--prefix", "x").err()).contains("--prefix: 'x' is not allowed");
        assertThat(cli.run("serve", "--host", "a/b").err()).contains("--host: host 'a/b' is not allowed");
        assertThat(cli.run("serve", "--redact", "x").status()).isEqualTo(2);
        assertThat(cli.run("serve", "--open", "--token-file", "x").err()).contains("give one of");
    }

    @Test
    void thePrintedLineOfAUserOpensTheApiWithThePassword() throws Exception {
        Path password = Files.writeString(folder.resolve("password"), "correct horse\n");
        cli.reading(password);
        String alice =
                cli.run("serve", "--hash-password", "alice:operator").out().strip();
        assertThat(alice).startsWith("alice operator pbkdf2-sha512:210000:").doesNotContain("horse");
        Files.writeString(folder.resolve("users"), alice);
        Served server = serve("--users-file", "users");
        assertThat(server.with(basic("alice:wrong horse")).get("api/v1/").statusCode())
                .isEqualTo(401);
        assertThat(server.with(basic("alice:correct horse")).get("api/v1/").statusCode())
                .isEqualTo(200);
        server.stop();
        assertThat(cli.run("serve", "--hash-password", "bob").out()).startsWith("bob viewer ");
        Files.writeString(password, "short\n");
        assertThat(cli.run("serve", "--hash-password", "alice").status()).isEqualTo(1);
    }

    /** The end of a user's line, with fewer rounds than the command makes, because each takes processor time. */
    private static String hash(String password, int rounds) throws GeneralSecurityException {
        byte[] salt = "sixteen bytes ok".getBytes(StandardCharsets.US_ASCII);
        byte[] hash = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512")
                .generateSecret(new PBEKeySpec(password.toCharArray(), salt, rounds, 256))
                .getEncoded();
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        return "pbkdf2-sha512:%d:%s:%s".formatted(rounds, encoder.encodeToString(salt), encoder.encodeToString(hash));
    }

    @Test
    void usersOfAFileHaveTheirRolesAndQueues() throws Exception {
        String hash = hash("correct horse", 1000);
        Files.writeString(
                folder.resolve("users"), "# users\nalice operator %s\nbob viewer %s mail\n".formatted(hash, hash));
        String hidden = cli.enqueue("a");
        Served server = serve("--users-file", "users");
        HttpResponse<String> unknown = server.get("api/v1/");
        assertThat(unknown.statusCode()).isEqualTo(401);
        assertThat(unknown.headers().firstValue("WWW-Authenticate").orElse("")).startsWith("Basic realm=");
        for (String wrong : List.of("alice:wrong horse", "carol:correct horse", "alice", "alice:")) {
            assertThat(server.with(basic(wrong)).get("api/v1/").statusCode()).isEqualTo(401);
        }
        Served asAlice = server.with(basic("alice:correct horse"));
        assertThat(json(asAlice.get("api/v1/")).get("actor").asString()).isEqualTo("alice");
        assertThat(asAlice.post("api/v1/jobs/" + hidden + "/cancel", "{}").statusCode())
                .isEqualTo(200);
        Served asBob = server.with(basic("bob:correct horse"));
        assertThat(json(asBob.get("api/v1/")).get("queues").toString()).isEqualTo("[\"mail\"]");
        assertThat(asBob.get("api/v1/jobs/" + hidden).statusCode()).isEqualTo(404);
        server.stop();

        Files.writeString(folder.resolve("users"), "alice operator secret\n");
        Cli.Result refused = cli.run("serve", "--users-file", "users");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("users, line 1", "--hash-password").doesNotContain("secret");
    }

    @Test
    void wrongPasswordsDoNotTakeAllThreads() throws Exception {
        Files.writeString(folder.resolve("users"), "alice viewer " + hash("correct horse", 20_000));
        Served server = serve("--users-file", "users");
        Served alice = server.with(basic("alice:correct horse"));
        assertThat(alice.get("api/v1/").statusCode()).isEqualTo(200);
        List<CompletableFuture<HttpResponse<String>>> replies = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            replies.add(CLIENT.sendAsync(
                    server.with(basic("alice:wrong " + i)).request("api/v1/").build(),
                    HttpResponse.BodyHandlers.ofString()));
        }
        // A known user is not checked again.
        assertThat(alice.get("api/v1/").statusCode()).isEqualTo(200);
        int refused = 0;
        for (CompletableFuture<HttpResponse<String>> each : replies) {
            HttpResponse<String> reply = each.join();
            assertThat(reply.statusCode()).isIn(401, 429);
            if (reply.statusCode() == 429) {
                assertThat(reply.headers().firstValue("Retry-After")).contains("1");
                refused++;
            }
        }
        assertThat(refused).isPositive();
        server.stop();
    }

    /** As a proxy sends them, whose connections many users share. */
    @Test
    void aTokenThatDiffersInCaseFromTheOneBeforeItIsWrong() throws Exception {
        Files.writeString(folder.resolve("token"), "Token-of-a-queue\n");
        Served server = serve("--token-file", "token");
        for (int i = 0; i < 3; i++) {
            assertThat(server.with("Bearer token-of-a-queue").get("api/v1/").statusCode())
                    .isEqualTo(401);
            assertThat(server.with("Bearer Token-of-a-queue").get("api/v1/").statusCode())
                    .isEqualTo(200);
        }
        server.stop();
    }

    private static String basic(String credentials) {
        return "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aTokenComesFromAFile() throws Exception {
        Files.writeString(folder.resolve("token"), "0123456789abcdef\n");
        Served server = serve("--token-file", "token");
        assertThat(server.with("Bearer 0123456789abcdef").get("api/v1/jobs").statusCode())
                .isEqualTo(200);
        assertThat(server.with("Bearer 0123456789abcdeg").get("api/v1/jobs").statusCode())
                .isEqualTo(401);
        String address = server.url().getAuthority();
        assertThat(cli.run("serve", "--listen", address).err()).contains("cannot listen on " + address);
        server.stop();
        Files.writeString(folder.resolve("token"), "short\n");
        assertThat(cli.run("serve", "--token-file", "token").err()).contains("at least 16");
    }

    @Test
    void aMalformedRequestIsAnsweredWithoutDetailsOfTheServer() throws Exception {
        Served server = serve();
        for (String line : List.of(
                "GET /%2e%2e/api HTTP/1.1",
                "GET /%00 HTTP/1.1",
                "GET /%zz HTTP/1.1",
                "GET /%ff HTTP/1.1",
                "GET /" + "x".repeat(10_000) + " HTTP/1.1",
                "BAD")) {
            String answer = raw(server, line + "\r\nHost: localhost\r\n\r\n");
            assertThat(answer)
                    .startsWith("HTTP/1.1 4")
                    .contains("application/problem+json")
                    .doesNotContain("etty", "Exception");
        }
        assertThat(raw(server, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 403")
                .contains("evil.example");
        assertThat(raw(server, "GET /health/ready HTTP/1.1\r\nHost: 10.0.0.7\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200");
        String key = "tenant%2F42%20%C3%A4%25";
        HttpResponse<String> limited = send(server.request("api/v1/controls/keys/" + key)
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString("{\"maxRunning\":2}")));
        assertThat(json(limited).get("key").asString()).isEqualTo("tenant/42 ä%");
        server.stop();
    }

    private static String raw(Served server, String request) throws IOException {
        try (Socket socket = new Socket(server.url().getHost(), server.url().getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void aRequestThatRunsAtTheSignalEnds() throws Exception {
        String id = cli.enqueue("a");
        Cli.Running process = cli.start("serve", "--listen", "127.0.0.1:0", "--json");
        JsonNode printed = JsonMapper.shared().readTree(Cli.contentOf(process.out()));
        assertThat(printed.get("pid").asLong()).isEqualTo(process.process().pid());
        String url = printed.get("url").asString();
        URI base = URI.create(url.replaceFirst("#.*", ""));
        String token = "Bearer " + url.replaceFirst(".*#token=", "");
        CompletableFuture<HttpResponse<String>> waiting = CLIENT.sendAsync(
                HttpRequest.newBuilder(base.resolve("api/v1/jobs/" + id + "/wait?timeout=60s"))
                        .header("Authorization", token)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        HttpRequest other = HttpRequest.newBuilder(base.resolve("health/live")).build();
        assertThat(CLIENT.send(other, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
        process.signal("TERM");
        await().atMost(Cli.DEADLINE).until(() -> {
            try (Socket socket = new Socket(base.getHost(), base.getPort())) {
                return false;
            } catch (IOException e) {
                return true;
            }
        });
        assertThat(waiting).isNotDone();
        cli.json("cancel", id, "--json");
        assertThat(json(waiting.get()).get("state").asString()).isEqualTo("CANCELLED");
        assertThat(process.end().status()).isZero();
    }

    @Test
    void aKilledServerLosesNoJobThatItHasAcknowledged() throws Exception {
        Cli.Running process = cli.start("serve", "--listen", "127.0.0.1:0", "--json");
        String url = JsonMapper.shared()
                .readTree(Cli.contentOf(process.out()))
                .get("url")
                .asString();
        URI jobs = URI.create(url.replaceFirst("#.*", "") + "api/v1/jobs");
        String token = "Bearer " + url.replaceFirst(".*#token=", "");
        Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread client = new Thread(() -> {
                try {
                    while (true) {
                        HttpRequest request = HttpRequest.newBuilder(jobs)
                                .header("Authorization", token)
                                .header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString("{\"type\":\"a\"}"))
                                .build();
                        HttpResponse<String> made = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
                        acknowledged.add(json(made).get("id").asLong());
                    }
                } catch (IOException | InterruptedException e) {
                    // The server was killed.
                }
            });
            client.start();
            clients.add(client);
        }
        await().atMost(Cli.DEADLINE).until(() -> acknowledged.size() > 200);
        process.process().destroyForcibly().waitFor();
        for (Thread client : clients) {
            client.join();
        }
        try (Windrow windrow = Windrow.open(target.newStore())) {
            for (long id : acknowledged) {
                assertThat(windrow.job(id).exists()).as("job %d", id).isTrue();
            }
        }
        assertThat(cli.json("doctor", "--json").get("ok").asBoolean()).isTrue();
    }
}
