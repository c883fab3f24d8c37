package dev.windrow.tests.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.windrow.InvalidRequestException;
import dev.windrow.dashboard.DashboardOptions;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The servlet below a path of an application, and its description of itself. */
class MountTest extends HttpTest {
    @Test
    void theServletWorksBelowAnyPath() throws Exception {
        var job = enqueue("a");
        for (List<String> place :
                List.of(List.of("", "/jobs/*"), List.of("/app", "/*"), List.of("/app", "/admin/jobs/*"))) {
            serve(DashboardOptions.DEFAULTS, HttpTest::access, place.get(0), place.get(1));
            assertThat(get("viewer", "jobs/" + job).is(200).json().get("id").asString())
                    .isEqualTo(job.toString());
            assertThat(get("viewer", "").is(200).json().get("name").asString()).isEqualTo("windrow");
            send(request("health/live").GET()).is(200);
            Reply page = send(request("").GET()).is(200);
            Matcher script = Pattern.compile("src=\"([^\"]*)\"").matcher(page.text());
            assertThat(script.find()).isTrue();
            assertThat(send(request(script.group(1)).GET()).is(200).header("Content-Type"))
                    .isEqualToIgnoringCase("text/javascript;charset=utf-8");
            String address = page.response().uri().toString();
            if (!place.get(0).isEmpty() || !place.get(1).equals("/*")) {
                // The addresses in the page are relative to a folder. Some containers redirect to it by themselves.
                Reply folder = send(HttpRequest.newBuilder(URI.create(address.substring(0, address.length() - 1)))
                        .GET());
                assertThat(folder.status()).isBetween(301, 302);
                assertThat(folder.response().uri().resolve(folder.header("Location")))
                        .isEqualTo(URI.create(address));
            }
            Reply made = post("producer", "jobs", "{\"type\":\"a\"}").is(201);
            URI location = made.response().uri().resolve(made.header("Location"));
            assertThat(send(HttpRequest.newBuilder(location)
                                    .header("Authorization", "Bearer viewer")
                                    .GET())
                            .is(200)
                            .json()
                            .get("type")
                            .asString())
                    .isEqualTo("a");
        }
    }

    /** A proxy that removes the beginning of the path, and asks the server by another name. */
    @Test
    void theServletWorksBehindAProxyThatRewritesPaths() throws Exception {
        URI server = request("").build().uri();
        HttpServer proxy = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        proxy.createContext("/ops/jobs/", exchange -> {
            String target = exchange.getRequestURI().toString().substring("/ops/jobs/".length());
            String type = exchange.getRequestHeaders().getFirst("Content-Type");
            HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(target))
                    .header("Authorization", exchange.getRequestHeaders().getFirst("Authorization"))
                    .header("Content-Type", type == null ? "" : type)
                    .method(
                            exchange.getRequestMethod(),
                            BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
            Reply reply = send(request);
            reply.response()
                    .headers()
                    .firstValue("Location")
                    .ifPresent(location -> exchange.getResponseHeaders().set("Location", location));
            byte[] body = reply.text().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(reply.status(), body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        proxy.start();
        try {
            URI outside = URI.create(
                    "http://127.0.0.1:%d/ops/jobs/".formatted(proxy.getAddress().getPort()));
            Reply made = send(HttpRequest.newBuilder(outside.resolve("api/v1/jobs"))
                            .header("Authorization", "Bearer admin")
                            .header("Content-Type", "application/json")
                            .POST(BodyPublishers.ofString("{\"type\":\"a\"}")))
                    .is(201);
            URI job = made.response().uri().resolve(made.header("Location"));
            assertThat(job.toString()).startsWith(outside.toString());
            send(HttpRequest.newBuilder(job).header("Authorization", "Bearer admin"))
                    .is(200);
            JsonNode api = send(HttpRequest.newBuilder(outside.resolve("api/v1/openapi.json"))
                            .header("Authorization", "Bearer admin"))
                    .is(200)
                    .json();
            // A relative URL is relative to the document.
            URI base = outside.resolve("api/v1/openapi.json")
                    .resolve(api.at("/servers/0/url").asString());
            send(HttpRequest.newBuilder(base.resolve("jobs")).header("Authorization", "Bearer admin"))
                    .is(200);
        } finally {
            proxy.stop(0);
        }
    }

    @Test
    void theApiSaysWhoTheSenderIs() throws Exception {
        String traces = "https://traces.example.org/trace/{traceId}";
        serve(DashboardOptions.DEFAULTS.withLabel("staging").withTraceLink(traces), HttpTest::access);
        JsonNode about = get("viewer:mail,billing", "").is(200).json();
        assertThat(about.get("label").asString()).isEqualTo("staging");
        assertThat(about.get("traceLink").asString()).isEqualTo(traces);
        assertThat(about.get("actor").asString()).isEqualTo("user-viewer");
        assertThat(about.get("permissions").toString()).isEqualTo("[\"view\"]");
        assertThat(about.get("queues").toString()).isEqualTo("[\"billing\",\"mail\"]");
        assertThat(about.get("readOnly").asBoolean()).isFalse();
    }

    @Test
    void aTraceLinkIsAnAddressWithThePlaceOfTheId() {
        for (String wrong : List.of("https://traces.example.org/", "javascript:{traceId}", "https://a b/{traceId}")) {
            assertThatThrownBy(() -> DashboardOptions.DEFAULTS.withTraceLink(wrong))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("trace link '%s' is not allowed".formatted(wrong));
        }
    }

    @Test
    void theDescriptionHasEachPathWithItsParametersAndFields() {
        JsonNode api = get("producer", "openapi.json").is(200).json();
        assertThat(api.get("openapi").asString()).isEqualTo("3.1.0");
        JsonNode list = api.at("/paths/~1jobs/get");
        assertThat(list.get("parameters")
                        .valueStream()
                        .map(parameter -> parameter.get("name").asString()))
                .contains("state", "limit", "after", "before", "payload");
        assertThat(api.at(
                                "/paths/~1jobs/post/requestBody/content/application~1json/schema/properties/jobs/items/required/0")
                        .asString())
                .isEqualTo("type");
        assertThat(api.at("/paths/~1jobs~1{id}~1retry/post/operationId").asString())
                .isEqualTo("postJobsIdRetry");
    }
}
