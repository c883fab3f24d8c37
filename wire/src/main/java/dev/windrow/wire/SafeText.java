package dev.windrow.wire;

import java.util.HexFormat;

/** Text without characters that control a terminal or reverse the direction of text. */
public final class SafeText {
    private SafeText() {}

    /**
     * Returns a character, or a harmless one in its place. The pictures of the control characters have the same order
     * in Unicode as the control characters.
     */
    public static int printable(int c) {
        if (c < 0x20) {
            return 0x2400 + c;
        }
        boolean unsafe = c == 0x7f || (c >= 0x80 && c < 0xa0) || Character.getType(c) == Character.FORMAT;
        return unsafe || Character.getType(c) == Character.SURROGATE ? 0xfffd : c;
    }

    /**
     * Returns JSON with the same values, and with escapes for each character that controls a terminal. Such
     * characters occur only in strings. The exception is a carriage return, which unchanged stored JSON may have
     * between its tokens.
     */
    static String escaped(String json) {
        StringBuilder safe = new StringBuilder(json.length());
        json.codePoints().forEach(c -> {
            if (c < 0x7f || printable(c) == c) {
                safe.appendCodePoint(c == '\r' ? ' ' : c);
            } else {
                for (char unit : Character.toChars(c)) {
                    safe.append("\\u").append(HexFormat.of().toHexDigits(unit));
                }
            }
        });
        return safe.toString();
    }
}
