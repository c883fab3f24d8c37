package dev.windrow.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.windrow.JobState;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The page under a path, behind a proxy that removes the path and asks the server by another name. */
class ProxyTest extends PageTest {
    private static final String PATH = "/ops/jobs/";
    private static final Set<String> OF_CONNECTION =
            Set.of("connection", "content-length", "expect", "host", "http2-settings", "transfer-encoding", "upgrade");

    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer proxy;

    @BeforeEach
    void startProxy() throws IOException {
        proxy = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        proxy.setExecutor(threads);
        proxy.createContext(PATH, this::pass);
        proxy.start();
    }

    @AfterEach
    void stopProxy() {
        context.close();
        proxy.stop(0);
        threads.shutdownNow();
    }

    private void pass(HttpExchange exchange) throws IOException {
        String target = exchange.getRequestURI().toString().substring(PATH.length());
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(site.address() + target))
                .method(
                        exchange.getRequestMethod(),
                        BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OF_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        try (exchange) {
            HttpResponse<byte[]> answer = client.send(request.build(), BodyHandlers.ofByteArray());
            answer.headers().map().forEach((name, values) -> {
                if (!OF_CONNECTION.contains(name)) {
                    exchange.getResponseHeaders().put(name, values);
                }
            });
            byte[] body = answer.body();
            exchange.sendResponseHeaders(answer.statusCode(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void eachViewAndAChangeWork() {
        page.navigate("http://127.0.0.1:%d%s#token=admin1"
                .formatted(proxy.getAddress().getPort(), PATH));
        for (View view : View.values()) {
            page.locator(".nav a[href='" + view.address() + "']").click();
            isOpen(view.title);
        }
        open("#/jobs/" + shop.pending);
        press(button("Cancel job"));
        press(inDialog("Cancel job"));
        says("was cancelled");
        assertThat(state(shop.pending)).isEqualTo(JobState.CANCELLED);
        open("#/workflows/" + shop.workflow);
        assertThat(page.locator(".node")).hasCount(3);
        assertThat(page.url()).contains(PATH);
    }
}
