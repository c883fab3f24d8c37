package dev.windrow.spring.app;

import dev.windrow.testserver.PostgresServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The application in a process of its own. */
final class RunningShop implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 180;

    /** Where the jobs are, and the settings that say so. */
    record Place(Cell.StoreKind kind, String url, String schema, List<String> properties) {
        static Place of(Cell.StoreKind kind, Path folder) {
            if (kind == Cell.StoreKind.SQLITE) {
                String url = "jdbc:sqlite:" + folder.resolve("shop.db");
                return new Place(
                        kind,
                        url,
                        "main",
                        List.of(
                                "spring.datasource.url=" + url + "?foreign_keys=true&transaction_mode=IMMEDIATE",
                                "spring.jpa.database-platform=org.hibernate.community.dialect.SQLiteDialect"));
            }
            PostgresServer server = PostgresServer.shared();
            String schema = server.newSchema();
            String url = server.url() + "&currentSchema=" + schema;
            return new Place(
                    kind,
                    url,
                    schema,
                    List.of(
                            "spring.datasource.url=" + url,
                            "spring.datasource.hikari.connection-init-sql=CREATE SCHEMA IF NOT EXISTS " + schema,
                            "windrow.postgresql.schema=" + schema));
        }
    }

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<String> output = new ArrayList<>();
    private final Thread reader = new Thread(this::read, "output of the shop");
    private final HttpClient client = HttpClient.newHttpClient();
    private volatile String port = "";

    private RunningShop(Process process) {
        this.process = process;
        reader.setDaemon(true);
        reader.start();
    }

    static RunningShop start(Cell cell, Place place, Path classes, String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                cell.java().resolve("bin/java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir")));
        if (!cell.java().toString().contains("17")) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", classPath(cell, classes), "dev.windrow.spring.app.Shop", "--server.port=0"));
        Stream.concat(place.properties().stream(), Stream.of(more)).forEach(each -> command.add("--" + each));
        if (!cell.has(Cell.Library.SECURITY)) {
            command.add("--windrow.dashboard.access=read-only");
        }
        if (!cell.has(Cell.Library.FLYWAY) && !cell.has(Cell.Library.LIQUIBASE)) {
            command.add("--spring.sql.init.mode=always");
            command.add("--spring.sql.init.continue-on-error=true");
            command.add("--spring.sql.init.schema-locations=classpath:db/migration/V1__shop.sql");
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        RunningShop shop = new RunningShop(process);
        try {
            shop.awaitReady();
        } catch (Throwable e) {
            shop.close();
            throw e;
        }
        return shop;
    }

    /** Returns the jars of the cell: those of its Spring Boot, and those of Windrow, which are the same in every cell. */
    private static String classPath(Cell cell, Path classes) throws IOException {
        Path root = Path.of(System.getProperty("windrow.root"));
        String jars =
                Files.readString(root.resolve("spring-boot-tests/boot-%s/target/classpath".formatted(cell.boot())));
        List<String> all = new ArrayList<>(List.of(classes.toString()));
        for (String jar : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (jar.startsWith(root.toString())
                    && !jar.startsWith(root.resolve("spring-boot-tests").toString())
                    && !jar.contains("/testserver/")) {
                all.add(jar);
            }
        }
        for (String jar : jars.strip().split(File.pathSeparator)) {
            String name = Path.of(jar).getFileName().toString();
            if (jar.endsWith(".jar")
                    && Stream.of(Cell.Library.values())
                            .noneMatch(library -> library.owns(name) && !cell.has(library))) {
                all.add(jar);
            }
        }
        return String.join(File.pathSeparator, all);
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (output) {
                    output.add(line);
                }
                if (line.startsWith("READY ")) {
                    lines.add(line);
                }
            }
        } catch (IOException e) {
            lines.add("closed");
        }
        lines.add("ended");
    }

    /** Waits until the application says that it is ready, for the first time or again. */
    void awaitReady() throws InterruptedException {
        String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (line == null || !line.startsWith("READY ")) {
            throw new AssertionError("the application does not start:\n" + output());
        }
        port = line.substring("READY ".length());
    }

    String output() {
        synchronized (output) {
            return String.join("\n", output);
        }
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        return send(request(path, headers).GET());
    }

    HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        return send(request(path, headers)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
    }

    private HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
        return headers.length == 0 ? request : request.headers(headers);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    /** Returns the headers of a user. */
    static String[] as(String user, String password, String... more) {
        String token = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        return Stream.concat(Stream.of("Authorization", "Basic " + token), Stream.of(more))
                .toArray(String[]::new);
    }

    /** Sends SIGTERM, and waits for the end. Returns how long it took. */
    long terminate() throws InterruptedException {
        long begin = System.nanoTime();
        // Process.destroy would close the output, and with it all that the application prints while it stops.
        process.toHandle().destroy();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the application does not end:\n" + output());
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        reader.join();
        return millis;
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }
}
