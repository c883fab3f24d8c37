package dev.windrow.examples.plain;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A shop in a process of its own. */
public final class RunningShop implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 120;

    private final Process process;
    private final Pattern ready;
    private final Pattern dashboard;
    private final StringBuffer output = new StringBuffer();
    private final CompletableFuture<String> port = new CompletableFuture<>();
    private final CompletableFuture<String> dashboardPort = new CompletableFuture<>();
    private final Thread reader = new Thread(this::read, "output of the shop");
    private final HttpClient client = HttpClient.newHttpClient();

    private RunningShop(Process process, Pattern ready, Pattern dashboard) {
        this.process = process;
        this.ready = ready;
        this.dashboard = dashboard;
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a shop and waits until it takes requests.
     *
     * @param ready the line that it prints then, with its port as a group
     */
    public static RunningShop start(String ready, List<String> command) throws Exception {
        return start(ready, ready, command);
    }

    /** Starts a shop whose dashboard has a port of its own, as a group in the line {@code dashboard}. */
    public static RunningShop start(String ready, String dashboard, List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        RunningShop shop = new RunningShop(process, Pattern.compile(ready), Pattern.compile(dashboard));
        try {
            shop.port.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            shop.dashboardPort.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            shop.close();
            throw new IllegalStateException("the shop does not start:\n" + shop.output, e);
        }
        return shop;
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                output.append(line).append('\n');
                look(line, ready, port);
                look(line, dashboard, dashboardPort);
            }
        } catch (IOException e) {
            output.append(e).append('\n');
        }
        port.completeExceptionally(new IllegalStateException("the shop has ended"));
        dashboardPort.completeExceptionally(new IllegalStateException("the shop has ended"));
    }

    private static void look(String line, Pattern pattern, CompletableFuture<String> port) {
        Matcher matcher = pattern.matcher(line);
        if (matcher.find()) {
            port.complete(matcher.group(1));
        }
    }

    /** Returns all that the shop has printed. */
    public String output() {
        return output.toString();
    }

    private HttpRequest.Builder request(String path) throws Exception {
        String served = path.startsWith("/jobs/") ? dashboardPort.get() : port.get();
        return HttpRequest.newBuilder(URI.create("http://localhost:" + served + path));
    }

    /** Sends a GET request. */
    public HttpResponse<String> get(String path) throws Exception {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    /** Buys something. */
    public HttpResponse<String> buy(String customer, long cents) throws Exception {
        return client.send(
                request("/orders?customer=%s&cents=%d".formatted(customer, cents))
                        .POST(BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
    }

    /** Sends SIGTERM, and waits for the end. */
    public void terminate() throws InterruptedException {
        // Process.destroy would close the output.
        process.toHandle().destroy();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the shop does not end:\n" + output);
        }
        reader.join();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }
}
