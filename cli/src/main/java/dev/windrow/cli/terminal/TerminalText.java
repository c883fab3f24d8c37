package dev.windrow.cli.terminal;

import java.util.List;
import java.util.Locale;

/** Text on its way to a person. */
public final class TerminalText {
    private TerminalText() {}

    /** Stored text on one line of a terminal: line ends and control characters become visible and harmless. */
    public static String oneLine(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().forEach(c -> line.appendCodePoint(printable(c)));
        return line.toString();
    }

    /** The same for text of several lines: line ends and tabs stay. */
    public static String lines(String text) {
        StringBuilder lines = new StringBuilder(text.length());
        text.replace("\r\n", "\n")
                .codePoints()
                .forEach(c -> lines.appendCodePoint(c == '\n' || c == '\t' ? c : printable(c)));
        return lines.toString();
    }

    /**
     * JSON whose values stay what they are, with escapes for what a terminal would obey: such characters stand in strings
     * only, but for carriage returns, which JSON that was stored as it was given may have between its tokens.
     */
    static String escaped(String json) {
        StringBuilder safe = new StringBuilder(json.length());
        json.codePoints().forEach(c -> {
            if (c < 0x7f || printable(c) == c) {
                safe.appendCodePoint(c == '\r' ? ' ' : c);
            } else {
                for (char unit : Character.toChars(c)) {
                    safe.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
                }
            }
        });
        return safe.toString();
    }

    /** The pictures of the control characters follow one another in Unicode as the characters do. */
    static int printable(int c) {
        if (c < 0x20) {
            return 0x2400 + c;
        }
        boolean unsafe = c == 0x7f || (c >= 0x80 && c < 0xa0) || Character.getType(c) == Character.FORMAT;
        return unsafe || Character.getType(c) == Character.SURROGATE ? 0xfffd : c;
    }

    /** Cuts to this many characters, the last one telling of the cut. */
    public static String clip(String text, int width) {
        if (text.codePointCount(0, text.length()) <= width) {
            return text;
        }
        return width < 1 ? "" : text.substring(0, text.offsetByCodePoints(0, width - 1)) + "…";
    }

    /** A number with what is counted: {@code 1 job}, {@code 2,000 jobs}. */
    public static String count(long n, String what) {
        return String.format(Locale.ROOT, "%,d %s%s", n, what, n == 1 ? "" : "s");
    }

    /** Cuts at the beginning instead: of a path, the end says more. */
    public static String clipStart(String text, int width) {
        int length = text.codePointCount(0, text.length());
        return length <= width ? text : "…" + text.substring(text.offsetByCodePoints(0, length - width + 1));
    }

    public static String padRight(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.codePointCount(0, text.length())));
    }

    public static String padLeft(String text, int width) {
        return " ".repeat(Math.max(0, width - text.codePointCount(0, text.length()))) + text;
    }

    /** A bar whose length says how large a value is, in eighths of a character; never empty for a value above 0. */
    public static String bar(long value, long max, int width) {
        if (value <= 0 || max <= 0) {
            return "";
        }
        long eighths = Math.max(1, Math.round((double) value / max * width * 8));
        int part = (int) (eighths % 8);
        return "█".repeat((int) (eighths / 8)) + (part == 0 ? "" : String.valueOf((char) (0x2590 - part)));
    }

    /** A small picture of values in a row, one character each. Nothing is a blank, and anything above it is seen. */
    public static String sparkline(List<Long> values) {
        long max = values.stream().mapToLong(Long::longValue).max().orElse(0);
        StringBuilder line = new StringBuilder(values.size());
        for (long value : values) {
            long eighths = max == 0 ? 0 : (value * 8 + max - 1) / max;
            line.append(eighths == 0 ? ' ' : (char) (0x2580 + eighths));
        }
        return line.toString();
    }
}
