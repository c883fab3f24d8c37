package dev.windrow.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The bare loop writes by the engine's own statements and settings: compared with the sources of the store. */
class BareSqlTest {
    private static final String STORE = "sqlite/src/main/java/dev/windrow/sqlite/";

    @Test
    void eachStatementEqualsThatOfTheEngine() throws Exception {
        String engine = read(STORE + "job/JobSql.java")
                + read(STORE + "monitor/CounterSql.java")
                + read(STORE + "writer/TransactionSql.java");
        List<Field> statements = List.of(BareSql.class.getDeclaredFields()).stream()
                .filter(field -> field.getType() == String.class)
                .toList();
        assertThat(statements).hasSizeGreaterThan(10);
        for (Field statement : statements) {
            assertThat((String) statement.get(null))
                    .as(statement.getName())
                    .isEqualTo(constant(engine, statement.getName()));
        }
    }

    @Test
    void theStatementsForManyRowsEqualThoseThatTheEngineDerives() throws Exception {
        assertThat(BareLoop.ofEqual(BareSql.INSERT_JOB)).isEqualTo(derived("equal", BareSql.INSERT_JOB));
        assertThat(BareLoop.ofMany(BareSql.INSERT_PAYLOAD)).isEqualTo(derived("many", BareSql.INSERT_PAYLOAD));
    }

    private static Object derived(String how, String insert) throws Exception {
        Method derive = Class.forName("dev.windrow.sqlite.job.Insert").getDeclaredMethod(how, String.class);
        derive.setAccessible(true);
        return derive.invoke(null, insert);
    }

    @Test
    void theSettingsEqualThoseOfTheStoresWriter() throws Exception {
        String store = read(STORE + "connection/SqliteFile.java");
        String writer =
                store.substring(store.indexOf("private void prepare("), store.indexOf("private void switchToLog("));
        String loop = read("bench/src/main/java/dev/windrow/bench/BareLoop.java");
        // The store sets auto_vacuum when it makes the loop's file. Overwriting of deleted rows is off by default.
        List<String> settings = pragmas(writer).stream()
                .filter(pragma -> !pragma.startsWith("auto_vacuum") && !pragma.startsWith("secure_delete"))
                .toList();
        assertThat(settings).contains("foreign_keys = ON", "synchronous = ").hasSizeGreaterThan(5);
        assertThat(pragmas(loop))
                .containsAll(settings)
                .contains("journal_mode = WAL")
                .hasSize(settings.size() + 1);
    }

    /** A PRAGMA that sets a value. */
    private static List<String> pragmas(String source) {
        return Pattern.compile("execute\\(\"PRAGMA (\\w+ = \\w*-?\\w*)\"")
                .matcher(source)
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static String constant(String source, String name) {
        MatchResult declaration = Pattern.compile(
                        "static final String " + name + " = (?:\"\"\"\n(.*?)\"\"\"|\"(.*?)\");", Pattern.DOTALL)
                .matcher(source)
                .results()
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is no constant of Sql"));
        return declaration.group(1) == null
                ? declaration.group(2)
                : declaration.group(1).stripIndent();
    }

    private static String read(String path) throws IOException {
        return Files.readString(Path.of(System.getProperty("windrow.root")).resolve(path));
    }
}
