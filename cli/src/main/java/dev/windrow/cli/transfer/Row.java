package dev.windrow.cli.transfer;

import dev.windrow.InvalidRequestException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row of another system's table. A missing column has the value null. A value that does not fit throws an {@link InvalidRequestException}.
 *
 * @param values the values by the names of their columns, in any case
 */
record Row(Map<String, @Nullable Object> values) {
    /** The smallest number that is a time in milliseconds: 1973 as milliseconds, the year 5138 as seconds. */
    private static final double MILLIS = 1e11;

    /** Returns a name of the schema, in lower case. */
    String name(String column) {
        return String.valueOf(values.get(column)).toLowerCase(Locale.ROOT);
    }

    /** Returns a text, a number as a text, or bytes of UTF-8 as a text. */
    @Nullable String text(String column) {
        Object value = values.get(column);
        if (value instanceof byte[] bytes) {
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            } catch (CharacterCodingException e) {
                throw new InvalidRequestException("%s is bytes and not text".formatted(column), e);
            }
        }
        return value == null ? null : value.toString();
    }

    /** Returns the id of a job: a text, a number as a text, or the hexadecimal digits of bytes. */
    String id(String column) {
        String id = values.get(column) instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : text(column);
        if (id == null) {
            throw new InvalidRequestException("%s is NULL: the job has no id".formatted(column));
        }
        return id;
    }

    /** Returns a whole number. */
    long number(String column, long otherwise) {
        String text = text(column);
        try {
            return text == null ? otherwise : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new InvalidRequestException("%s is not a whole number".formatted(column), e);
        }
    }

    /** Returns a time: seconds or milliseconds since 1970, or ISO-8601, with a space for the T if need be. */
    @Nullable Instant time(String column, ZoneId zone) {
        String text = text(column);
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            if (text.matches("[0-9]+([.][0-9]+)?([eE][0-9]+)?")) {
                double number = Double.parseDouble(text);
                return Instant.ofEpochMilli(Math.round(number < MILLIS ? number * 1000 : number));
            }
            TemporalAccessor time = DateTimeFormatter.ISO_DATE_TIME.parseBest(
                    text.replaceFirst("(?<=\\d) (?=\\d)", "T"), Instant::from, LocalDateTime::from);
            return time instanceof LocalDateTime local ? local.atZone(zone).toInstant() : Instant.from(time);
        } catch (DateTimeException e) {
            throw new InvalidRequestException("%s is not a time".formatted(column), e);
        }
    }
}
