package dev.windrow.tests.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.AccessPolicy;
import dev.windrow.dashboard.DashboardOptions;
import dev.windrow.dashboard.DashboardServlet;
import dev.windrow.dashboard.Role;
import dev.windrow.payload.Json;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The common part of tests of the HTTP API: the servlet in a {@link Container} on the loopback address, on each store, and a client. The token is the name
 * of a role.
 */
@OnEachStore
public abstract class HttpTest {
    static final JsonMapper STRICT = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    Target target;
    Windrow windrow;
    private final Deque<Container.Running> servers = new ArrayDeque<>();
    private String base;

    /** How long a connection of the next server may be silent. */
    Duration idle = Duration.ofSeconds(30);

    @BeforeEach
    final void openStore() throws Exception {
        target = openTarget();
        windrow = Windrow.open(target.newStore());
        serve(DashboardOptions.DEFAULTS, HttpTest::access);
    }

    @AfterEach
    final void stop() throws Exception {
        for (Container.Running server : servers) {
            server.close();
        }
        windrow.close();
        closeTarget();
    }

    Target openTarget() {
        return kind.emptyTarget(folder);
    }

    void closeTarget() throws SQLException {
        target.close();
    }

    /** Lets the token be the name of a role, perhaps with the visible queues behind a colon: {@code operator:mail,billing}. */
    static Access access(HttpServletRequest request) {
        String header = request.getHeader("Authorization");
        if (header == null || !header.startsWith("Bearer ")) {
            return Access.anonymous();
        }
        String[] words = header.substring("Bearer ".length()).split(":");
        Access access = Access.of("user-" + words[0], Role.valueOf(words[0].toUpperCase(Locale.ROOT)));
        return words.length == 1 ? access : access.withQueues(List.of(words[1].split(",")));
    }

    /** Starts another server with these options. The requests that follow go to it. */
    final void serve(DashboardOptions options, AccessPolicy policy) throws Exception {
        serve(options, policy, "", "/*");
    }

    final void serve(DashboardOptions options, AccessPolicy policy, String context, String mapping) throws Exception {
        Container.Running server =
                container().start(new DashboardServlet(windrow, policy, options), context, mapping, folder, idle);
        servers.push(server);
        base = "http://127.0.0.1:%d%s%s/".formatted(server.port(), context, mapping.substring(0, mapping.length() - 2));
    }

    /** Returns the container of the tests of this class. */
    Container container() {
        return Container.OF_BUILD;
    }

    /** Returns a request for a path below the servlet. */
    final HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(60));
    }

    /** Returns a request for a path below the API, with the token of a role. */
    final HttpRequest.Builder as(String role, String path) {
        return request("api/v1/" + path).header("Authorization", "Bearer " + role);
    }

    final Reply get(String role, String path) {
        return send(as(role, path).GET());
    }

    final Reply post(String role, String path, String body) {
        return send(as(role, path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    final Reply put(String role, String path, String body) {
        return send(as(role, path)
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(body)));
    }

    final Reply delete(String role, String path) {
        return send(as(role, path).DELETE());
    }

    static Reply send(HttpRequest.Builder request) {
        try {
            return new Reply(CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString()));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    final JobRef<Json> enqueue(String type) {
        return enqueue(type, "default");
    }

    final JobRef<Json> enqueue(String type, String queue) {
        return windrow.enqueue(JobType.raw(type).job(new Json("{\"n\":1}")).withQueue(queue));
    }

    /** An answer. */
    record Reply(HttpResponse<String> response) {
        int status() {
            return response.statusCode();
        }

        String text() {
            return response.body();
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        JsonNode json() {
            return STRICT.readTree(response.body());
        }

        Reply is(int status) {
            assertThat(status()).as(text()).isEqualTo(status);
            return this;
        }

        /** Asserts that the answer is a problem of this kind, whose text has this part and no details of the server. */
        Reply isProblem(int status, String kind, String... parts) {
            is(status);
            assertThat(header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(json().get("kind").asString()).isEqualTo(kind);
            assertThat(json().get("status").asInt()).isEqualTo(status);
            assertThat(json().get("type").asString()).isEqualTo("urn:windrow:problem:" + kind);
            for (String part : parts) {
                assertThat(json().get("detail").asString()).contains(part);
            }
            assertThat(text()).doesNotContain("Exception", "\tat ", "SELECT ", "org.eclipse", "org.apache");
            return this;
        }
    }
}
