package dev.windrow.sqlite.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.sqlite.connection.SqliteStatements;
import dev.windrow.sqlite.connection.Tables;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InsertTest {
    private static final Insert<Long> NUMBERS =
            new Insert<>("INSERT INTO t (a, b, c) VALUES (?1, ?2, ?3)", (values, n) -> {
                values.add(n.longValue())
                        .add(n % 2 == 0 ? Long.valueOf(-n) : null)
                        .add(n % 3 == 0 ? null : "n" + n);
            });

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31, 32, 33, 64, 100})
    void writes_each_row_once_with_its_values(int count) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:");
                Statement sql = connection.createStatement();
                SqliteStatements statements = new SqliteStatements(connection, Tables.DEFAULT)) {
            sql.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER, c TEXT) STRICT");
            List<Long> numbers = LongStream.range(1, count + 1).boxed().toList();

            NUMBERS.all(statements, numbers);

            List<String> rows = new ArrayList<>();
            try (ResultSet row =
                    sql.executeQuery("SELECT a || '/' || ifnull(b, '-') || '/' || ifnull(c, '-') FROM t")) {
                while (row.next()) {
                    rows.add(row.getString(1));
                }
            }
            assertThat(rows)
                    .containsExactlyElementsOf(numbers.stream()
                            .map(n -> n + "/" + (n % 2 == 0 ? -n : "-") + "/" + (n % 3 == 0 ? "-" : "n" + n))
                            .toList());
        }
    }

    @Test
    void the_statement_is_that_of_one_row_with_more_values() {
        assertThat(Insert.many("INSERT INTO t (a, b) VALUES (?1, ?2)"))
                .startsWith("INSERT INTO t (a, b) VALUES (?, ?), (?, ?), ")
                .endsWith("(?, ?)")
                .hasSize("INSERT INTO t (a, b) VALUES ".length() + 32 * 8 - 2);
    }
}
