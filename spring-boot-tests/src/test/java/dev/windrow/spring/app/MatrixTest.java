package dev.windrow.spring.app;

import static dev.windrow.spring.app.Cell.Library.ACTUATOR;
import static dev.windrow.spring.app.Cell.Library.DEVTOOLS;
import static dev.windrow.spring.app.Cell.Library.FLYWAY;
import static dev.windrow.spring.app.Cell.Library.JPA;
import static dev.windrow.spring.app.Cell.Library.MICROMETER;
import static dev.windrow.spring.app.Cell.Library.SECURITY;
import static dev.windrow.spring.app.Cell.StoreKind.POSTGRES;
import static dev.windrow.spring.app.Cell.StoreKind.SQLITE;
import static dev.windrow.spring.app.RunningShop.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.spring.app.RunningShop.Place;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same classes of the starter and of an application on each Spring Boot, JDK and database, with and without each library. Each build runs a part that
 * has each Boot, database and library; {@code -Dmatrix=all} runs everything, and {@code -Dmatrix=DEVTOOLS} all with that word.
 */
class MatrixTest {
    static final Path CLASSES = Path.of(System.getProperty("windrow.root"), "spring-boot-tests/target/classes");

    /** Each of these is in a transaction, and drained at the end. */
    private static final int JOBS = 40;

    @TempDir
    Path folder;

    static Path thisJava() {
        return Path.of(System.getProperty("java.home"));
    }

    static Stream<Cell> cells() throws IOException {
        String part = System.getProperty("windrow.matrix", "default");
        if (part.equals("default")) {
            return Stream.of(
                    new Cell("3.5", thisJava(), SQLITE, Cell.liquibase()),
                    new Cell("4.0", thisJava(), POSTGRES, Set.of()),
                    new Cell("4.1", thisJava(), POSTGRES, Cell.all()));
        }
        List<Cell> cells = new ArrayList<>();
        for (String boot : List.of("3.5", "4.0", "4.1")) {
            for (Path java : javas()) {
                for (Cell.StoreKind store : Cell.StoreKind.values()) {
                    cells.add(new Cell(boot, java, store, Cell.all()));
                    cells.add(new Cell(boot, java, store, Set.of()));
                    cells.add(new Cell(boot, java, store, Cell.with(DEVTOOLS)));
                    cells.add(new Cell(boot, java, store, Cell.liquibase()));
                    for (Cell.Library library : List.of(SECURITY, ACTUATOR, MICROMETER, JPA, FLYWAY)) {
                        cells.add(new Cell(boot, java, store, Cell.without(library)));
                    }
                }
            }
        }
        return cells.stream()
                .filter(cell -> part.equals("all") || cell.toString().contains(part));
    }

    /** Returns the JDKs 17 and 25 of this machine. */
    private static List<Path> javas() throws IOException {
        try (Stream<Path> folders = Files.list(Path.of("/usr/lib/jvm"))) {
            return folders.filter(each -> Files.isExecutable(each.resolve("bin/java")) && !Files.isSymbolicLink(each))
                    .filter(each -> each.getFileName().toString().matches(".*(17|25).*"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("cells")
    void anApplicationWithTheStarterRuns(Cell cell) throws Exception {
        Path classes = cell.has(DEVTOOLS) ? copy(CLASSES, folder.resolve("classes")) : CLASSES;
        Place place = Place.of(cell.store(), folder);
        try (RunningShop shop = RunningShop.start(cell, place, classes)) {
            takesOrders(shop, cell, 1);
            answersTheActuator(shop, cell);
            servesTheDashboard(shop, cell);
            if (cell.has(DEVTOOLS)) {
                touch(classes.resolve("dev/windrow/spring/app/Shop.class"));
                shop.awaitReady();
                takesOrders(shop, cell, 3);
            }
            assertThat(shop.post("/many/100?count=%d&millis=50".formatted(JOBS), "")
                            .statusCode())
                    .isEqualTo(200);
            Books.requireGoodEnd(shop, 30_000);
            Books.require(place, JOBS + (cell.has(DEVTOOLS) ? 2 : 1) + (cell.has(ACTUATOR) ? 1 : 0));
            Files.writeString(
                    CLASSES.resolveSibling("matrix.txt"),
                    cell + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
    }

    private static void takesOrders(RunningShop shop, Cell cell, int first) throws Exception {
        HttpResponse<String> taken = shop.post("/orders/" + first, "");
        assertThat(taken.statusCode()).as(shop.output()).isEqualTo(200);
        assertThat(taken.body()).contains("charged " + first * 100);
        if (cell.has(ACTUATOR) && cell.has(MICROMETER)) {
            assertThat(taken.body()).containsPattern("00-[0-9a-f]{32}-[0-9a-f]{16}-0[13]");
        }
        String before = shop.get("/counts").body();
        assertThat(shop.post("/orders/%d?refused=true".formatted(first + 1), "").statusCode())
                .isEqualTo(409);
        assertThat(shop.get("/counts").body())
                .as("orders and jobs after a rollback")
                .isEqualTo(before);
    }

    private static void answersTheActuator(RunningShop shop, Cell cell) throws Exception {
        HttpResponse<String> health = shop.get("/actuator/health");
        if (!cell.has(ACTUATOR)) {
            assertThat(health.statusCode()).isEqualTo(404);
            return;
        }
        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.body()).contains("\"windrow\":{").contains("\"location\"");
        assertThat(shop.get("/actuator/windrow").body()).contains("order.charge", "\"COMPLETED\":1", "\"problems\":[]");
        assertThat(shop.post("/unserved", "").statusCode()).isEqualTo(200);
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(shop.get("/actuator/health")).satisfies(down -> {
                    assertThat(down.statusCode()).isEqualTo(503);
                    assertThat(down.body()).contains("queue unserved", "a ready job has waited");
                }));
        if (cell.has(MICROMETER)) {
            // The events of attempts arrive a moment after their ends.
            await().atMost(Duration.ofSeconds(60))
                    .until(() ->
                            shop.get("/actuator/prometheus").body().contains("windrow_attempt_run_seconds_count{"));
        } else {
            assertThat(shop.get("/actuator/prometheus").statusCode()).isEqualTo(404);
        }
    }

    private static void servesTheDashboard(RunningShop shop, Cell cell) throws Exception {
        if (!cell.has(SECURITY)) {
            assertThat(shop.get("/windrow/").body()).contains("<html");
            assertThat(shop.get("/windrow/api/v1/jobs").statusCode()).isEqualTo(200);
            assertThat(shop.post("/windrow/api/v1/jobs/1/retry", "{}").statusCode())
                    .isEqualTo(403);
            return;
        }
        for (String path : List.of("/windrow", "/windrow/", "/windrow/api/v1/jobs")) {
            assertThat(shop.get(path).statusCode()).as(path).isEqualTo(401);
            assertThat(shop.get(path, as("vera", "v")).statusCode()).as(path).isEqualTo(403);
        }
        assertThat(shop.get("/windrow/", as("olga", "o")).body()).contains("<html");
        HttpResponse<String> about = shop.get("/windrow/api/v1/", as("olga", "o"));
        assertThat(about.body()).contains("\"olga\"");
        String[] token =
                about.headers().firstValue("Windrow-Csrf").orElseThrow().split(" ");
        String session = about.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
        String cancel = "/windrow/api/v1/jobs/1/retry";
        HttpResponse<String> without = shop.post(cancel, "{}", as("olga", "o", "Cookie", session));
        assertThat(without.statusCode()).isEqualTo(403);
        assertThat(without.body()).doesNotContain("transition-refused");
        HttpResponse<String> with = shop.post(cancel, "{}", as("olga", "o", "Cookie", session, token[0], token[1]));
        // A completed job is not retried: the request has reached the API.
        assertThat(with.statusCode()).as(with.body()).isEqualTo(409);
        assertThat(with.body()).contains("transition-refused");
    }

    private static void touch(Path file) throws IOException {
        Files.setLastModifiedTime(
                file, FileTime.fromMillis(Files.getLastModifiedTime(file).toMillis() + 5000));
    }

    private static Path copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
        return to;
    }
}
