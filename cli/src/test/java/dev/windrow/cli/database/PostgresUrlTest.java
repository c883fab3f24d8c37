package dev.windrow.cli.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.cli.UsageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgresUrlTest {
    private static PostgresUrl url(String text) {
        return PostgresUrl.parse("--db", text);
    }

    @ParameterizedTest
    @CsvSource({
        "?password=plain, plain",
        "?user=me&password=a%26b%3Dc%25+d, a&b=c% d",
        "?password=%C3%BC&user=me, ü",
        "?password=first&password=second, second",
        "?password=a=b?c, a=b?c",
        "?password=, ",
        "?password, ",
        "'', "
    })
    void thePasswordIsRemovedAndDecodedLikeTheDriver(String parameters, String password) {
        PostgresUrl url = url("jdbc:postgresql://host:5432/db" + parameters);
        assertThat(url.password()).isEqualTo(password);
        assertThat(url.text()).doesNotContain("password");
        assertThat(url).hasToString(url.shown());
    }

    @Test
    void otherParametersOfTheDriverStay() {
        PostgresUrl url = url(
                "JDBC:postgresql://h1:1,h2/db?sslmode=require&password=x&user=a%20b&targetServerType=primary&sslpassword=y");
        assertThat(url.text())
                .isEqualTo(
                        "jdbc:postgresql://h1:1,h2/db?sslmode=require&user=a%20b&targetServerType=primary&sslpassword=y");
        assertThat(url.shown())
                .isEqualTo("jdbc:postgresql://h1:1,h2/db?sslmode=require&user=a%20b&targetServerType=primary");
        assertThat(url.user()).isEqualTo("a b");
    }

    @Test
    void theUserOfTheUrlTakesPrecedence() {
        assertThat(url("jdbc:postgresql://h/db?user=me").withUser("other").user())
                .isEqualTo("me");
        assertThat(url("jdbc:postgresql://h/db?user=&ssl=true").withUser("other"))
                .satisfies(url -> assertThat(url.user()).isEqualTo("other"))
                .satisfies(url -> assertThat(url.text()).isEqualTo("jdbc:postgresql://h/db?ssl=true"));
        assertThat(url("jdbc:postgresql://h/db?password=x").withUser(null).password())
                .isNull();
    }

    @Test
    void theFullUrlContainsUserAndPassword() {
        assertThat(url("jdbc:postgresql://h/db?ssl=true").with("a b", "c&d"))
                .isEqualTo("jdbc:postgresql://h/db?ssl=true&user=a+b&password=c%26d");
        assertThat(url(url("jdbc:postgresql://h/db").with(null, "c+&% ")).password())
                .isEqualTo("c+&% ");
        assertThat(url("jdbc:postgresql://h/db?user=me").with(null, null)).isEqualTo("jdbc:postgresql://h/db?user=me");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:postgresql://h:1/db | postgresql://h:1/db",
                "jdbc:postgresql://h1,h2:2/db?sslmode=require&user=a%20b | postgresql://h1,h2:2/db?user=a%20b",
                "jdbc:postgresql:db?user=me&password=x | postgresql://localhost/db?user=me"
            })
    void theUrlForPsqlHasItsOwnForm(String text, String expected) {
        assertThat(url(text).forPsql()).isEqualTo(expected);
    }

    /** The driver would ignore a typing error silently: {@code sslMode=require} does not require anything. */
    @ParameterizedTest
    @CsvSource({"?sslMode=require, 1", "?user=me&passwort=x, 2", "?password=one&two, 2", "?user=me&&password=x&two=3, 4"
    })
    void anUnknownParameterIsRefusedAndNotRepeated(String parameters, int number) {
        assertThatThrownBy(() -> url("jdbc:postgresql://h/db" + parameters))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith(
                        "--db: the PostgreSQL driver does not know parameter %d of the URL".formatted(number))
                .hasMessageNotContainingAny("require", "passwort", "two");
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://h",
        "jdbc:postgresql://h:x/db",
        "jdbc:postgresql:/db",
        "jdbc:postgresql://h/db?password=%",
        "jdbc:postgresql://h/db?options=%zz",
        "jdbc:postgresql://me:word@h/db"
    })
    void aUrlThatTheDriverCannotReadIsWrongUsage(String text) {
        assertThatThrownBy(() -> url(text))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--db: ")
                .hasMessageNotContaining("word@");
    }
}
