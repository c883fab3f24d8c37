package dev.windrow.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.payload.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StandardRedactorTest {
    private static String redacted(Redactor redactor, String json) {
        String text = redactor.redact("mail.send", new Json(json)).text();
        assertThat(JsonScan.isOneValue(text)).as(text).isTrue();
        return text;
    }

    private static String redacted(String json) {
        return redacted(Redactor.standard(), json);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "password",
                "PASSWORD",
                "PassWord",
                "pass_word",
                "passwd",
                "secret",
                "token",
                "apikey",
                "apiKey",
                "api_key",
                "API-KEY",
                "authorization",
                "cookie",
                "card",
                "iban",
                "userPassword",
                "password2",
                "accessToken",
                "access_tokens",
                "X-Api-Key",
                "Set-Cookie",
                "cardNumber",
                "clientSecrets",
                "IBAN",
                "customerIBAN",
                "dbpassword",
                "ACCESSTOKENS",
                "xapikey",
                "pass\u200bword",
                "pass\\u0077ord"
            })
    void aValueIsRedactedByTheWordsOfItsName(String name) {
        assertThat(redacted("{\"%s\":\"x\"}".formatted(name))).isEqualTo("{\"%s\":\"[redacted]\"}".formatted(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "discard",
                "discards",
                "cardinality",
                "secretary",
                "tokenizer",
                "user",
                "key",
                "api",
                "",
                "pass.wor",
                "-",
                "ssn",
                "keyapi"
            })
    void otherNamesKeepTheirValues(String name) {
        String json = "{\"%s\":\"x\"}".formatted(name);
        assertThat(redacted(json)).isEqualTo(json);
    }

    @Test
    void aValueOfEveryKindIsRedactedAtAnyDepthAndInArrays() {
        assertThat(redacted("""
                                {"a":[1,{"token":{"deep":[1,{"x":2}]}},[{"token":[1,2]}]],"token":null,"b":{"token":12.50 , "c":true},
                                 "token":"again","d":"token"}""")).isEqualTo("""
                        {"a":[1,{"token":"[redacted]"},[{"token":"[redacted]"}]],"token":"[redacted]","b":{"token":"[redacted]" , "c":true},
                         "token":"[redacted]","d":"token"}""");
    }

    @Test
    void allOtherCharactersStayAsTheyAreStored() {
        String kept = "\r\n\"n\": 9223372036854775807, \"d\":1.50e+07 ,\"big\":123456789012345678901234567890.10,"
                + "\"s\":\"\\u0041\\/\\ud800 \u202e\ud83d\ude00\",\"e\":{ } , \"l\":[ ]";
        assertThat(redacted("{" + kept + ",\"card\":9223372036854775807}"))
                .isEqualTo("{" + kept + ",\"card\":\"[redacted]\"}");
    }

    @Test
    void aPathIsRedactedInTheDocumentsOfItsType() {
        StandardRedactor redactor = Redactor.standard()
                .withPath("mail.send", "$.body")
                .withPath("mail.send", "$.to[*].name")
                .withPath("mail.send", "$['a name'][1]")
                .withPath("other", "$.subject");
        assertThat(redacted(redactor, """
                                {"body":{"x":1},"to":[{"name":"a","id":1},{"name":"b"}],"a name":[1,2,3],"subject":"s","in":{"body":1},"name":"n"}""")).isEqualTo("""
                        {"body":"[redacted]","to":[{"name":"[redacted]","id":1},{"name":"[redacted]"}],"a name":[1,"[redacted]",3],"subject":"s","in":{"body":1},"name":"n"}""");
        assertThat(redactor.redact("other", new Json("{\"body\":1,\"subject\":2}"))
                        .text())
                .isEqualTo("{\"body\":1,\"subject\":\"[redacted]\"}");
    }

    @Test
    void aPathOfAllTypesAndTheWholeDocumentAreRedacted() {
        assertThat(redacted(Redactor.standard().withPath("$[*][0]"), "[[1,2],{\"0\":3},[4]]"))
                .isEqualTo("[[\"[redacted]\",2],{\"0\":3},[\"[redacted]\"]]");
        assertThat(redacted(Redactor.standard().withPath("$"), " {\"a\":1}\n")).isEqualTo(" \"[redacted]\"\n");
        assertThat(redacted(Redactor.standard().withPath("$"), "-12")).isEqualTo("\"[redacted]\"");
    }

    @Test
    void aNameIsAdded() {
        StandardRedactor redactor = Redactor.standard().withName("Tax-Id");
        assertThat(redacted(redactor, "{\"taxId\":1,\"TAX_IDS\":[2],\"customerTaxId\":3,\"taxi\":4,\"token\":5}"))
                .isEqualTo(
                        "{\"taxId\":\"[redacted]\",\"TAX_IDS\":\"[redacted]\",\"customerTaxId\":\"[redacted]\",\"taxi\":4,\"token\":\"[redacted]\"}");
    }

    @Test
    void namesAndPathsThatFindNothingAreRefused() {
        StandardRedactor redactor = Redactor.standard();
        assertThatThrownBy(() -> redactor.withName("_-"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("name '_-' is not allowed: at least one letter or digit");
        assertThatThrownBy(() -> redactor.withPath("body"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("path 'body' is not allowed");
        assertThatThrownBy(() -> redactor.withPath("no such type", "$.body"))
                .isInstanceOf(InvalidRequestException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\ufeff{\"token\":1}",
                "{oops",
                "password=x",
                "1 2",
                "{\"a\":1}}",
                "{\"token\":}",
                "[\"a\\q\"]",
                "\ud800"
            })
    void textThatIsNotJsonIsRedactedAsAWhole(String text) {
        assertThat(redacted(text)).isEqualTo("\"[redacted]\"");
    }

    @Test
    void scalarsStay() {
        for (String json : new String[] {"null", "9223372036854775807", "\"token\"", " true "}) {
            assertThat(redacted(json)).isEqualTo(json);
        }
    }

    /** The parser reads long text in pieces. */
    @Test
    void aLongDocumentIsRedactedAtEachPlace() {
        StringBuilder json = new StringBuilder("[");
        StringBuilder expected = new StringBuilder("[");
        for (int i = 0; json.length() < 10 << 20; i++) {
            String separator = i == 0 ? "" : ",";
            String text = "x".repeat(i % 97) + "\\n\ud83d\ude00";
            json.append(separator).append("{\"id\":%d,\"token\":%d,\"text\":\"%s\"}".formatted(i, i, text));
            expected.append(separator)
                    .append("{\"id\":%d,\"token\":\"[redacted]\",\"text\":\"%s\"}".formatted(i, text));
        }
        String long1 = redacted(json.append(']').toString());
        assertThat(long1.equals(expected.append(']').toString())).isTrue();
    }

    @Test
    void aVeryDeepDocumentIsRedacted() {
        String deep = "[".repeat(100_000) + "{\"token\":1}" + "]".repeat(100_000);
        assertThat(redacted(deep)).isEqualTo(deep.replace(":1", ":\"[redacted]\""));
    }

    @Test
    void aNameOfManyWordsIsExaminedInTimeThatGrowsWithItsLength() {
        String name = "aB".repeat(500_000);
        String json = "{\"%s\":1}".formatted(name);
        assertThat(redacted(json).equals(json)).isTrue();
    }
}
