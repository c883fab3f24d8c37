package dev.windrow.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Compares the SQLite statements in docs/adr/0011-store-verbs.md with the constants that run. */
class StoreVerbsDocTest {
    private static final Pattern BLOCK = Pattern.compile("SQLite, `([A-Z_]+)`:\n\n```sql\n(.*?)\n```", Pattern.DOTALL);

    private final String sql = Docs.read("sqlite/src/main/java/dev/windrow/sqlite/Sql.java");

    @Test
    void eachSqliteStatementIsTheOneThatRuns() {
        List<MatchResult> blocks = BLOCK.matcher(Docs.read("docs/adr/0011-store-verbs.md"))
                .results()
                .toList();
        assertThat(blocks).hasSizeGreaterThan(15);
        for (MatchResult block : blocks) {
            assertThat(block.group(2)).as(block.group(1)).isEqualTo(constant(block.group(1)));
        }
    }

    /** The value of a constant, read from the source: its class is not public. */
    private String constant(String name) {
        var declaration = Pattern.compile("static final String " + name + " = \"\"\"\n(.*?)\"\"\";", Pattern.DOTALL)
                .matcher(sql);
        assertThat(declaration.find()).as("%s is a constant of Sql", name).isTrue();
        return declaration.group(1).stripIndent().strip();
    }
}
