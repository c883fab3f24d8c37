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
    void rows_that_differ_in_their_number_alone_share_their_values() throws SQLException {
        Insert<String> words = Insert.ofEqual("INSERT INTO t (a, b, c) VALUES (?1, ?2, ?3)", (values, row) -> {
            String[] parts = row.split("/", 3);
            values.add(Long.parseLong(parts[0]))
                    .add(parts[1].isEmpty() ? null : Long.valueOf(parts[1]))
                    .add(parts[2]);
        });
        List<String> rows = new ArrayList<>();
        for (int a = 1; a <= 200; a++) {
            // Equal rows: 3, then 7, 8, 9 and 60, with single ones between them; the last ones are equal again.
            int run = a <= 3
                    ? 1
                    : a <= 10 ? 2 : a <= 18 ? 3 : a <= 27 ? 4 : a <= 40 ? a : a <= 100 ? 5 : a <= 150 ? a : 6;
            rows.add(a + "/" + (run % 2 == 0 ? "" : run) + "/c" + run);
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:");
                Statement sql = connection.createStatement();
                SqliteStatements statements = new SqliteStatements(connection, Tables.DEFAULT)) {
            sql.execute("CREATE TABLE t (place INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c TEXT) STRICT");

            words.all(statements, rows);

            List<String> written = new ArrayList<>();
            try (ResultSet row =
                    sql.executeQuery("SELECT a || '/' || ifnull(b, '') || '/' || c FROM t ORDER BY place")) {
                while (row.next()) {
                    written.add(row.getString(1));
                }
            }
            assertThat(written).containsExactlyElementsOf(rows);
        }
    }

    @Test
    void the_statement_of_equal_rows_has_their_numbers_as_an_array() {
        assertThat(Insert.equal("INSERT INTO t (a, b) VALUES (?1, ?2)"))
                .isEqualTo("INSERT INTO t (a, b) SELECT value, ?2 FROM json_each(?1)");
    }

    @Test
    void the_statement_is_that_of_one_row_with_more_values() {
        assertThat(Insert.many("INSERT INTO t (a, b) VALUES (?1, ?2)"))
                .startsWith("INSERT INTO t (a, b) VALUES (?, ?), (?, ?), ")
                .endsWith("(?, ?)")
                .hasSize("INSERT INTO t (a, b) VALUES ".length() + 32 * 8 - 2);
    }
}
