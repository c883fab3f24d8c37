package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Compares the statements in docs/adr/0011-store-verbs.md with the constants that run. */
@Once
class StoreVerbsDocTest {
    @Test
    void eachSqliteStatementIsTheOneThatRuns() {
        compare("SQLite", Docs.readAll("sqlite/src/main/java/dev/windrow/sqlite", "Sql.java"));
    }

    @Test
    void eachPostgresStatementIsTheOneThatRuns() {
        compare("PostgreSQL", Docs.readAll("postgres/src/main/java/dev/windrow/postgres", "Sql.java"));
    }

    private static void compare(String database, String source) {
        List<MatchResult> blocks = Pattern.compile(
                        database + ", `([A-Z_]+)`[^\n]*:\n\n```sql\n(.*?)\n```", Pattern.DOTALL)
                .matcher(Docs.read("docs/adr/0011-store-verbs.md"))
                .results()
                .toList();
        assertThat(blocks).hasSizeGreaterThan(15);
        for (MatchResult block : blocks) {
            assertThat(block.group(2)).as(block.group(1)).isEqualTo(constant(source, block.group(1)));
        }
    }

    /** The value of a constant, read from the source: its class is not public. */
    private static String constant(String source, String name) {
        var declaration = Pattern.compile("static final String " + name + " = \"\"\"\n(.*?)\"\"\";", Pattern.DOTALL)
                .matcher(source);
        assertThat(declaration.find()).as("%s is a constant", name).isTrue();
        return declaration.group(1).stripIndent().strip();
    }
}
