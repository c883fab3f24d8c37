package dev.windrow.cli.terminal;

import dev.windrow.wire.SafeText;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Text for a terminal. */
public final class TerminalText {
    private TerminalText() {}

    /** Returns stored text as one line for a terminal. Line ends and control characters become visible and harmless. */
    public static String oneLine(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().forEach(c -> line.appendCodePoint(SafeText.printable(c)));
        return line.toString();
    }

    /**
     * Returns stored text of several lines for a terminal. Line ends and tabs stay; other control characters become
     * visible and harmless.
     */
    public static String lines(String text) {
        StringBuilder lines = new StringBuilder(text.length());
        text.replace("\r\n", "\n")
                .codePoints()
                .forEach(c -> lines.appendCodePoint(c == '\n' || c == '\t' ? c : SafeText.printable(c)));
        return lines.toString();
    }

    /** Cuts text to this many characters. The last one marks the cut. */
    public static String clip(String text, int width) {
        if (text.codePointCount(0, text.length()) <= width) {
            return text;
        }
        return width < 1 ? "" : text.substring(0, text.offsetByCodePoints(0, width - 1)) + "…";
    }

    /** Returns a number with a noun: {@code 1 job}, {@code 2,000 jobs}. */
    public static String count(long n, String what) {
        return String.format(Locale.ROOT, "%,d %s%s", n, what, n == 1 ? "" : "s");
    }

    /** Returns ids with commas: {@code 17, 18}. */
    public static String list(List<Long> ids) {
        return ids.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /** Cuts text at its beginning, because the end of a path says more. */
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

    /** Returns a bar whose length shows a value, in eighths of a character. It is never empty for a value above 0. */
    public static String bar(long value, long max, int width) {
        if (value <= 0 || max <= 0) {
            return "";
        }
        long eighths = Math.max(1, Math.round((double) value / max * width * 8));
        int part = (int) (eighths % 8);
        return "█".repeat((int) (eighths / 8)) + (part == 0 ? "" : String.valueOf((char) (0x2590 - part)));
    }

    /**
     * Returns a small picture of a series of values, one character each. Zero is a blank, and a value above zero is
     * always visible.
     */
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
