package dev.windrow.testserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PostgresServerTest {
    private static PostgresServer own;

    @BeforeAll
    static void startOwn() {
        own = PostgresServer.start("work_mem=3MB", "application_name=it's");
    }

    @BeforeEach
    void makeTable() throws SQLException {
        if (!isUp()) {
            own.startAgain();
        }
        execute("DROP TABLE IF EXISTS kept", "CREATE TABLE kept (id integer)");
    }

    @AfterAll
    static void closeOwn() {
        own.close();
    }

    @Test
    void theSharedServerIsOneAndAnswers() throws Exception {
        PostgresServer shared = PostgresServer.shared();
        assertThat(PostgresServer.shared()).isSameAs(shared);
        assertThat(ask(shared, "SELECT version()")).startsWith("PostgreSQL " + shared.version());
        assertThat(ask(shared, "SELECT 1")).isEqualTo("1");
    }

    @Test
    void theSharedServerOutlivesItsUsers() throws Exception {
        PostgresServer shared = PostgresServer.shared();
        shared.close();
        assertThatIllegalStateException().isThrownBy(shared::kill);
        assertThatIllegalStateException().isThrownBy(shared::stop);
        assertThatIllegalStateException().isThrownBy(shared::startAgain);
        assertThat(ask(shared, "SELECT 1")).isEqualTo("1");
    }

    @Test
    void aServerThatRunsAlreadyIsUsedAndLeftAlone() throws Exception {
        PostgresServer same = PostgresServer.at(own.url());
        assertThat(same.url()).isEqualTo(own.url());
        assertThat(same.port()).isEqualTo(own.port());
        assertThat(same.version()).isEqualTo(own.version());
        assertThatIllegalStateException().isThrownBy(same::kill);
        same.close();
        assertThat(ask(same, "SELECT 1")).isEqualTo("1");
    }

    @Test
    void whatIsNoUrlOfPostgresIsRefusedWithoutShowingIt() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PostgresServer.at("postgresql://me:secret@localhost/test"))
                .withMessage("WINDROW_TEST_POSTGRES must begin with jdbc:postgresql:");
    }

    @Test
    void commitsAreDurableAndNobodyElseComesIn() throws Exception {
        assertThat(ask(own, "SHOW fsync")).isEqualTo("on");
        assertThat(ask(own, "SHOW synchronous_commit")).isEqualTo("on");
        assertThat(ask(own, "SHOW max_connections")).isEqualTo("200");
        assertThat(ask(own, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
        assertThat(ask(own, "SHOW unix_socket_directories")).isEmpty();
    }

    @Test
    void settingsOfTheTestAreTaken() throws Exception {
        assertThat(ask(own, "SHOW work_mem")).isEqualTo("3MB");
        execute("ALTER SYSTEM SET work_mem = '5MB'", "SELECT pg_reload_conf()");
        await().untilAsserted(() -> assertThat(ask(own, "SHOW work_mem")).isEqualTo("5MB"));
        execute("ALTER SYSTEM RESET work_mem", "SELECT pg_reload_conf()");
        await().untilAsserted(() -> assertThat(ask(own, "SHOW work_mem")).isEqualTo("3MB"));
    }

    @Test
    void aSettingThatTheServerDoesNotKnowIsItsError() {
        Set<Long> before = children();
        assertThatIllegalStateException()
                .isThrownBy(() -> PostgresServer.start("no_such_setting=1"))
                .withMessageContaining("no_such_setting");
        assertThatIllegalArgumentException().isThrownBy(() -> PostgresServer.start("fsync"));
        assertThat(children()).isEqualTo(before);
    }

    @Test
    void schemasAreNewAndNeedNoQuotes() throws Exception {
        List<String> names =
                IntStream.range(0, 1000).mapToObj(each -> own.newSchema()).toList();
        assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.matches("t_[0-9]{6}_[0-9a-f]{8}"));
        String name = names.get(0);
        execute("CREATE SCHEMA " + name);
        assertThat(ask(own, "SELECT nspname FROM pg_namespace WHERE nspname = '" + name + "'"))
                .isEqualTo(name);
        execute("DROP SCHEMA " + name);
    }

    @Test
    void whatWasCommittedIsThereAfterAKill() throws Exception {
        int port = own.port();
        try (Connection open = own.dataSource().getConnection();
                Statement statement = open.createStatement()) {
            execute("INSERT INTO kept VALUES (1), (2)");
            open.setAutoCommit(false);
            statement.execute("INSERT INTO kept VALUES (3)");
            own.kill();
            assertThat(isUp()).isFalse();
            assertThatThrownBy(open::commit).isInstanceOf(SQLException.class);
        }
        own.startAgain();
        assertThat(own.port()).isEqualTo(port);
        assertThat(ask(own, "SELECT count(*) FROM kept")).isEqualTo("2");
    }

    @Test
    void nothingOfAKilledServerRuns() throws Exception {
        try (Connection open = own.dataSource().getConnection();
                Statement statement = open.createStatement()) {
            // A busy backend does not notice by itself that its server is dead.
            Thread busy = new Thread(() -> {
                try {
                    statement.execute("SELECT count(*) FROM generate_series(1, 200000000)");
                } catch (SQLException e) {
                    // The expected failure.
                }
            });
            busy.start();
            await().until(() -> ask(
                            own,
                            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()")
                    .equals("1"));
            own.kill();
            assertThat(programsIn(own)).isEmpty();
            busy.join();
        }
        own.kill();
    }

    @Test
    void aServerWhoseProcessIsKilledByOthersSaysSo() throws Exception {
        try (PostgresServer server = PostgresServer.start()) {
            assertThat(server.crash()).isEmpty();
            try (Connection open = server.dataSource().getConnection();
                    Statement statement = open.createStatement();
                    ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
                row.next();
                assertThat(ProcessHandle.of(row.getLong(1)).orElseThrow().destroyForcibly())
                        .isTrue();
            }
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(server.crash())
                            .anyMatch(line -> line.contains("was terminated by signal 9"))
                            .anyMatch(line -> line.contains("ready to accept connections")));
            await().atMost(Duration.ofMinutes(1)).until(() -> answers(server));
            server.kill();
            server.startAgain();
            assertThat(server.crash())
                    .filteredOn(line -> line.contains("was terminated by signal"))
                    .hasSize(1);
        }
    }

    @Test
    void whatWasCommittedIsThereAfterAStop() throws Exception {
        try (Connection open = own.dataSource().getConnection()) {
            execute("INSERT INTO kept VALUES (1)");
            own.stop();
            assertThat(isUp()).isFalse();
            assertThat(open.isValid(1)).isFalse();
        }
        assertThat(programsIn(own)).isEmpty();
        own.stop();
        own.startAgain();
        assertThat(ask(own, "SELECT count(*) FROM kept")).isEqualTo("1");
        assertThatIllegalStateException().isThrownBy(own::startAgain).withMessageContaining("is running");
    }

    @Test
    void nothingIsLeftOfAServerThatIsClosed() throws Exception {
        Path folder;
        String memory;
        try (PostgresServer server = PostgresServer.start()) {
            folder = server.folder().orElseThrow();
            assertThat(folder).isDirectory();
            assertThat(programsIn(server)).isNotEmpty();
            memory = memoryOf(server);
            server.kill();
            assertThat(memories()).contains(memory);
        }
        assertThat(folder).doesNotExist();
        assertThat(memories()).doesNotContain(memory);
    }

    @Test
    void aServerEndsWithAJvmThatIsKilled() throws Exception {
        Process jvm = startHolder("");
        try (BufferedReader out = jvm.inputReader(StandardCharsets.UTF_8)) {
            PostgresServer held = PostgresServer.at(out.readLine());
            Path folder = Path.of(out.readLine());
            assertThat(folder).isDirectory();
            jvm.destroyForcibly();
            await().atMost(Duration.ofMinutes(1)).until(() -> Files.notExists(folder));
            assertThat(answers(held)).isFalse();
        } finally {
            jvm.destroyForcibly();
        }
    }

    @Test
    void theEnvironmentMayNameTheSharedServer() throws Exception {
        Process jvm = startHolder(own.url());
        try (BufferedReader out = jvm.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).isEqualTo(own.url());
            assertThat(out.readLine()).isEqualTo("nothing started");
            String schema = out.readLine();
            assertThat(schemas(schema)).containsExactly(schema, schema + "_kept");
            jvm.getOutputStream().close();
            assertThat(jvm.waitFor()).isZero();
            assertThat(isUp()).isTrue();
            assertThat(schemas(schema)).as("schemas that stay").isEmpty();
        } finally {
            jvm.destroyForcibly();
        }
    }

    private static Process startHolder(String named) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put(PostgresServer.VARIABLE, named);
        return builder.start();
    }

    /** Returns the schemas with this name or with a name that begins with it. */
    private static List<String> schemas(String name) throws SQLException {
        try (Connection connection = own.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, '%s') ORDER BY 1"
                                .formatted(name))) {
            List<String> names = new ArrayList<>();
            while (rows.next()) {
                names.add(rows.getString(1));
            }
            return names;
        }
    }

    /** A JVM that takes the shared server and a schema on it, and waits for its own end. */
    static final class Holder {
        public static void main(String[] arguments) throws IOException {
            PostgresServer server = PostgresServer.shared();
            System.out.println(server.url());
            System.out.println(server.folder().map(Path::toString).orElse("nothing started"));
            PreparedSchemas schemas = new PreparedSchemas(Holder::make);
            System.out.println(schemas.lend().name());
            System.in.read();
        }

        private static void make(DataSource source, String schema) {
            try (Connection connection = source.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE SCHEMA %1$s CREATE TABLE %1$s.some (id integer)".formatted(schema));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static boolean isUp() {
        return answers(own);
    }

    private static boolean answers(PostgresServer server) {
        try (Connection connection = server.dataSource().getConnection()) {
            return connection.isValid(10);
        } catch (SQLException e) {
            return false;
        }
    }

    private static void execute(String... statements) throws SQLException {
        try (Connection connection = own.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private static String ask(PostgresServer server, String query) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Returns the processes that work in its data folder. */
    private static List<Long> programsIn(PostgresServer server) {
        Path data = server.folder().orElseThrow().resolve("data");
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .filter(pid -> {
                    try {
                        return Files.readSymbolicLink(Path.of("/proc/" + pid + "/cwd"))
                                .equals(data);
                    } catch (IOException e) {
                        return false;
                    }
                })
                .toList();
    }

    /** Returns the piece of shared memory by which a server locks its data against other servers. */
    private static String memoryOf(PostgresServer server) throws IOException {
        Path noted = server.folder().orElseThrow().resolve("data").resolve("postmaster.pid");
        String[] keyAndId = Files.readAllLines(noted).get(6).strip().split(" +", -1);
        return keyAndId[1];
    }

    private static List<String> memories() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/sysvipc/shm"))) {
            return lines.skip(1).map(line -> line.strip().split(" +", -1)[1]).toList();
        }
    }

    private static Set<Long> children() {
        return ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
    }
}
