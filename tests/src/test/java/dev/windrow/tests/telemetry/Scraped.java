package dev.windrow.tests.telemetry;

import com.sun.net.httpserver.HttpServer;
import dev.windrow.Windrow;
import dev.windrow.telemetry.WindrowMetrics;
import dev.windrow.testkit.ManualTime;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process that Prometheus scrapes, by HTTP on the loopback interface. */
final class Scraped implements AutoCloseable {
    private static final Pattern LINE = Pattern.compile("(?m)^([a-z_]+)(?:\\{(.*)})? (\\S+)$");

    /** The clock that determines when the numbers of the store are read again. */
    final ManualTime time = new ManualTime();

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final WindrowMetrics metrics;
    private final HttpServer server;

    Scraped(Windrow windrow) {
        try {
            this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.metrics = new WindrowMetrics(windrow, time);
        metrics.bindTo(registry);
        server.createContext("/metrics", exchange -> {
            byte[] body = registry.scrape().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.start();
    }

    /** Returns the series of a scrape after a new read of the store. */
    Map<String, Double> fresh() {
        time.advance(Duration.ofSeconds(11));
        // A scrape waits only briefly for a read, and the read creates the series with names.
        TelemetryTest.until(() -> !(scrape().getOrDefault("windrow_statistics_age_seconds", 0.0) > 1e-6));
        return scrape();
    }

    /** Returns the series of a scrape, each as {@code name{tag="value"}}, with its value. */
    Map<String, Double> scrape() {
        Map<String, Double> series = new TreeMap<>();
        Matcher lines = LINE.matcher(text());
        while (lines.find()) {
            String tags = lines.group(2) == null ? "" : "{" + lines.group(2) + "}";
            series.put(lines.group(1) + tags, Double.parseDouble(lines.group(3)));
        }
        return series;
    }

    /** Returns the names of all series, without their tags. */
    static Set<String> names(Map<String, Double> series) {
        Set<String> names = new TreeSet<>();
        series.keySet().forEach(name -> names.add(name.replaceFirst("\\{.*", "")));
        return names;
    }

    private String text() {
        try {
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/metrics"))
                    .build();
            return HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Removes the metrics from the registry. */
    void unbind() {
        metrics.close();
    }

    @Override
    public void close() {
        server.stop(0);
        metrics.close();
        registry.close();
    }
}
