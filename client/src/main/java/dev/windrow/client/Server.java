package dev.windrow.client;

import dev.windrow.cli.Main;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process of {@code windrow serve} on a database file. */
final class Server implements AutoCloseable {
    private static final Pattern URL = Pattern.compile("\"url\":\"(http://[^\"#]+/)#token=([^\"]+)\"");

    private final Process process;
    private final URI api;
    private final String token;

    private Server(Process process, URI api, String token) {
        this.process = process;
        this.api = api;
        this.token = token;
    }

    /** Writes the description of the API into a file. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path file = Path.of(args[0]);
        Path folder = Files.createTempDirectory("windrow-client");
        try (Server server = start(folder.resolve("jobs.db"))) {
            HttpRequest request = HttpRequest.newBuilder(server.api.resolve("openapi.json"))
                    .header("Authorization", "Bearer " + server.token)
                    .build();
            Files.writeString(
                    file,
                    HttpClient.newHttpClient()
                            .send(request, HttpResponse.BodyHandlers.ofString())
                            .body());
        }
    }

    /** Starts a server, and returns it when it has printed its URL. */
    static Server start(Path database) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "serve",
                        "--json",
                        "--db",
                        database.toString(),
                        "--listen",
                        "127.0.0.1:0")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String line = process.inputReader().readLine();
        Matcher url = URL.matcher(line == null ? "" : line);
        if (!url.find()) {
            process.destroyForcibly();
            throw new IOException("windrow serve has not printed a URL: " + line);
        }
        return new Server(process, URI.create(url.group(1)).resolve("api/v1/"), url.group(2));
    }

    /** Returns the URL of the API, with a slash at its end. */
    URI api() {
        return api;
    }

    /** Returns the token of the server. */
    String token() {
        return token;
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
