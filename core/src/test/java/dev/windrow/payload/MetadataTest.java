package dev.windrow.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import java.math.BigDecimal;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MetadataTest {
    @Test
    void valuesAreWrittenAsJson() {
        Metadata metadata = Metadata.none()
                .with("text", "a \"b\" \n\u00fc")
                .with("int", 42)
                .with("long", Long.MIN_VALUE)
                .with("decimal", new BigDecimal("1.50"))
                .with("flag", true)
                .with("int", -1);
        assertThat(metadata.json())
                .isEqualTo(
                        "{\"text\":\"a \\\"b\\\" \\u000a\u00fc\",\"int\":-1,\"long\":-9223372036854775808,\"decimal\":1.50,\"flag\":true}");
        assertThat(metadata.text("text")).contains("a \"b\" \n\u00fc");
        assertThat(metadata.text("decimal")).contains("1.50");
        assertThat(metadata.text("flag")).contains("true");
        assertThat(metadata.without("text").without("missing").text("text")).isEmpty();
        assertThat(Metadata.none().with("a", 1).without("a")).isEqualTo(Metadata.none());
    }

    @Test
    void aParsedTextStaysAsItIs() {
        String text = " { \"b\" : 1.0, \"\\u0061\":[1, 2 ],\"c\":{\"d\":null}, \"e\":null } ";
        Metadata metadata = Metadata.parse(text);
        assertThat(metadata.json()).isEqualTo(text);
        assertThat(metadata.toString()).isEqualTo(text);
        assertThat(metadata).isEqualTo(Metadata.parse(text)).hasSameHashCodeAs(Metadata.parse(text));
        assertThat(metadata.text("b")).contains("1.0");
        assertThat(List.of(metadata.text("a"), metadata.text("c"), metadata.text("e"), metadata.text("x")))
                .allMatch(value -> value.isEmpty());
        assertThat(metadata.with("f", 2).json())
                .isEqualTo("{\"b\":1.0,\"a\":[1, 2 ],\"c\":{\"d\":null},\"e\":null,\"f\":2}");
        assertThat(Metadata.parse("{ }")).isEqualTo(Metadata.none());
    }

    /** The examples of RFC 7396 whose target is an object, and more. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'a':'b'} | {'a':'c'} | {'a':'c'}",
                "{'a':'b'} | {'b':'c'} | {'a':'b','b':'c'}",
                "{'a':'b'} | {'a':null} | {}",
                "{'a':'b','b':'c'} | {'a':null} | {'b':'c'}",
                "{'a':'b'} | {'a':{'c':1}} | {'a':{'c':1}}",
                "{'a':['b']} | {'a':'c'} | {'a':'c'}",
                "{'a':'c'} | {'a':['b']} | {'a':['b']}",
                "{'a':{'b':'c'}} | {'a':{'b':'d','c':null}} | {'a':{'b':'d'}}",
                "{'a':[{'b':'c'}]} | {'a':[1]} | {'a':[1]}",
                "{'e':null} | {'a':1} | {'e':null,'a':1}",
                "{} | {'a':{'bb':{'ccc':null}}} | {'a':{'bb':{}}}",
                "{'a':{'b':1}} | {} | {'a':{'b':1}}",
                "{'a':{'b':{'c':1,'d':2}}} | {'a':{'b':{'c':null},'e':3}} | {'a':{'b':{'d':2},'e':3}}",
                "{'\\ud83d':{'\\udc00':1}} | {'\\ud83d':{'\u00fc':2}} | {'\\ud83d':{'\\udc00':1,'\u00fc':2}}"
            })
    void aPatchIsMerged(String target, String patch, String merged) {
        assertThat(parse(target).merge(parse(patch)).json()).isEqualTo(merged.replace('\'', '"'));
    }

    private static Metadata parse(String text) {
        return Metadata.parse(text.replace('\'', '"'));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "1",
                "null",
                "{",
                "{'a'}",
                "{'a':}",
                "{'a':1,}",
                "{a:1}",
                "{'a':01}",
                "{'a':1 2}",
                "{'a':[1,]}",
                "{'a':[1}",
                "{'a':[1}}",
                "['a':1}",
                "{'a'=1}",
                "{'a':'\t'}",
                "{'a':'\\x'}",
                "{'a':'\\u00g0'}",
                "{'a':'\\u00",
                "{'a':'b",
                "{'a':TRUE}",
                "{'a':NaN}",
                "{} {}",
                "{'a':1}x",
                "\ufeff{}"
            })
    void otherTextsAreRefused(String text) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("metadata");
    }

    @Test
    void limitsAreChecked() {
        String longest = "{\"a\":\"" + "x".repeat(Metadata.MAX_BYTES - 8) + "\"}";
        assertThat(Metadata.parse(longest).json()).hasSize(Metadata.MAX_BYTES);
        refused("metadata of 8193 bytes is not allowed: at most 8192", () -> Metadata.parse(longest + " "));
        refused(
                "metadata of 8193 bytes is not allowed",
                () -> Metadata.none().with("a", "x".repeat(Metadata.MAX_BYTES - 9) + "\u00fc"));
        refused(
                "metadata of",
                () -> Metadata.parse(longest).merge(Metadata.none().with("b", 1)));
        Metadata many = Metadata.none();
        for (int i = 0; i < Metadata.MAX_NAMES; i++) {
            many = many.with("n" + i, i);
        }
        Metadata full = many;
        refused("number of metadata names 65 is not allowed: 0 to 64", () -> full.with("more", 1));
        refused("number of metadata names 65", () -> Metadata.parse(full.json().replace("}", ",\"more\":1}")));
        refused("metadata name 'a' appears twice", () -> Metadata.parse("{\"a\":1,\"\\u0061\":2}"));
        Metadata unused = Metadata.parse("{\"a\":" + "[".repeat(499) + "]".repeat(499) + "}");
        refused(
                "nested more than 500 levels",
                () -> Metadata.parse("{\"a\":" + "[".repeat(500) + "]".repeat(500) + "}"));
        refused("nested more than 500 levels", () -> Metadata.parse("{\"a\":".repeat(501) + "1" + "}".repeat(501)));
        refused("metadata of 9000 bytes is not allowed", () -> Metadata.parse("x".repeat(9000)));
        refused("JSON has no such number", () -> Metadata.none().with("a", Double.NaN));
        refused("unpaired surrogate", () -> Metadata.none().with("a", "\ud83d"));
        refused("metadata holds an unpaired surrogate", () -> Metadata.parse("{\"a\":\"\ud83d\"}"));
        refused(
                "metadata name holds an unpaired surrogate",
                () -> Metadata.none().with("\ud83d", 1));
        refused("reference to a blob", () -> Metadata.none().with("windrow:blob", 1));
    }

    private static void refused(String message, ThrowingCallable made) {
        assertThatThrownBy(made).isInstanceOf(InvalidRequestException.class).hasMessageContaining(message);
    }
}
