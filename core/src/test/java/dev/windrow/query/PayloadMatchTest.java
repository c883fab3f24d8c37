package dev.windrow.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.payload.Json;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadMatchTest {
    private static final Json PAYLOAD = new Json("""
            { "customer" : {"id": 42, "name":"An\\u006ea \\"B\\"", "vip":true, "age":null, "a.b": {"c d": [ ] } },
              "items":[{"sku":"x"},{"sku":"y","n":1.50}], "tags":["red", 7, [ "deep" ]], "big":12345678901234567890,
              "twice":1, "twice":2, "exp":1e2, "empty":{}, "nul":"a\\u0000b" }
            """);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "$",
                "$.customer",
                "$.customer.id",
                "$.customer.age",
                "$.empty",
                "$.items[1].n",
                "$['customer']['a.b']['c d']",
                "$.customer.id=42",
                "$.customer.id=42.0",
                "$.customer.id=4.2e1",
                "$.exp=100",
                "$.big=12345678901234567890",
                "$.customer.vip=true",
                "$.customer.age=null",
                "$.customer.name=Anna \"B\"",
                "$.customer.name=\"Anna \\\"B\\\"\"",
                "$.customer.name~nna",
                "$.items[*].sku=y",
                "$.items[0].sku=x",
                "$.items[1].n=1.5",
                "$.tags~red",
                "$.tags~7",
                "$.tags[2]~deep",
                "$.twice=2",
                "$.nul~b"
            })
    void matches(String expression) {
        assertThat(PayloadMatch.parse(expression).matches(PAYLOAD))
                .as(expression)
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$.none",
                "$.customer.id.more",
                "$[0]",
                "$.items[2]",
                "$.items.sku",
                "$.customer.id=\"42\"",
                "$.customer.id=43",
                "$.customer.vip=\"true\"",
                "$.customer.vip=false",
                "$.customer.name=Anna",
                "$.customer.name~X",
                "$.customer=42",
                "$.items=x",
                "$.big=12345678901234567891",
                "$.tags~deep",
                "$.tags~re",
                "$.twice=1",
                "$.customer.id~4"
            })
    void doesNotMatch(String expression) {
        assertThat(PayloadMatch.parse(expression).matches(PAYLOAD))
                .as(expression)
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "customer", "$.", "$..a", "$[", "$[x]", "$['a]", "$.a[1", "=1", "$x", "$.a b=1", "$[-1]"})
    void anInvalidExpressionIsRefused(String expression) {
        assertThatThrownBy(() -> PayloadMatch.parse(expression))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("is not allowed; allowed: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"a\"",
                "{\"a\":",
                "[1",
                "tru",
                "{\"a\":\"x",
                "{\"a\":\"\\",
                "{\"a\" 1}",
                "{\"b\":\"\\u12",
                "}"
            })
    void invalidJsonDoesNotMatch(String text) {
        assertThat(PayloadMatch.parse("$.a=1").matches(new Json(text))).isFalse();
        assertThat(PayloadMatch.parse("$.a[0].b").matches(new Json(text))).isFalse();
    }

    @Test
    void deeplyNestedJsonIsSkipped() {
        int depth = 100_000;
        Json deep = new Json("{\"deep\":" + "[".repeat(depth) + "]".repeat(depth) + ",\"a\":1}");
        assertThat(PayloadMatch.equalTo("$.a", 1).matches(deep)).isTrue();
    }

    @Test
    void hugeNumbersAreComparedWithoutExpandingThem() {
        String digits = "9".repeat(2000);
        assertThat(PayloadMatch.equalTo("$.a", 1).matches(new Json("{\"a\":" + digits + "}")))
                .isFalse();
        assertThat(PayloadMatch.equalTo("$.a", 1).matches(new Json("{\"a\":1e999999999999}")))
                .isFalse();
    }

    @Test
    void factoriesCreateTheMatches() {
        assertThat(PayloadMatch.exists("$.customer").matches(PAYLOAD)).isTrue();
        assertThat(PayloadMatch.equalTo("$.customer.vip", true).matches(PAYLOAD))
                .isTrue();
        assertThat(PayloadMatch.equalTo("$.customer.name", "Anna \"B\"").matches(PAYLOAD))
                .isTrue();
        assertThat(PayloadMatch.contains("$.tags", "red").matches(PAYLOAD)).isTrue();
        assertThatThrownBy(() -> new PayloadMatch("$.a", PayloadMatch.Test.EQUALS, "{}"))
                .isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void everyEscapeAndEveryBlankIsRead() {
        Json json = new Json("\t{\r\n\"esc\"\t:\r\"\\b\\f\\n\\r\\t\\/\\\\\\\"\\u00E9\\u00e9\"\n,\t\"many\"\n:"
                + " [0,1,2,3,4,5,6,7,8,9\t,\"ten\"\r]\n}\t");
        assertThat(PayloadMatch.equalTo("$.esc", "\b\f\n\r\t/\\\"\u00e9\u00e9").matches(json))
                .isTrue();
        assertThat(PayloadMatch.parse("$.many[10]=ten").matches(json)).isTrue();
        assertThat(PayloadMatch.parse("$.many~9.0").matches(json)).isTrue();
        assertThat(PayloadMatch.equalTo("$.no", false).matches(new Json("{\"no\":false}")))
                .isTrue();
        assertThat(PayloadMatch.parse("$.a=x").matches(new Json("{\"a\":\"\\x\"}")))
                .as("no escape of JSON")
                .isFalse();
    }

    @Test
    void aComparedTextIsEncodedAsJson() {
        assertThat(PayloadMatch.equalTo("$.a", "a\\b\"c\nd\u0001").value()).isEqualTo("\"a\\\\b\\\"c\\u000ad\\u0001\"");
        assertThat(new PayloadMatch("$.a", PayloadMatch.Test.EQUALS, " 1 ").value())
                .isEqualTo("1");
        assertThat(PayloadMatch.parse("$.a=b~c=d").value()).isEqualTo("\"b~c=d\"");
    }

    @Test
    void invalidMatchesAreRefusedByFactoriesAndConstructor() {
        String longest = "x".repeat(PayloadMatch.MAX_LENGTH);
        assertThat(PayloadMatch.contains("$.a", longest).value()).isEqualTo(longest);
        for (ThrowingCallable wrong : new ThrowingCallable[] {
            () -> PayloadMatch.exists("a.b"),
            () -> PayloadMatch.exists("$." + longest),
            () -> PayloadMatch.contains("$.a", longest + "x"),
            () -> PayloadMatch.parse("$.a~" + longest),
            () -> new PayloadMatch("$.a", PayloadMatch.Test.EXISTS, "1"),
            () -> new PayloadMatch("$.a", PayloadMatch.Test.CONTAINS, null),
            () -> new PayloadMatch("$.a", PayloadMatch.Test.EQUALS, "\"a\" b"),
            () -> new PayloadMatch("$.a", PayloadMatch.Test.EQUALS, "no text"),
            () -> new PayloadMatch("$.a", PayloadMatch.Test.EQUALS, "[1]")
        }) {
            assertThatThrownBy(wrong).isInstanceOf(InvalidRequestException.class);
        }
    }
}
