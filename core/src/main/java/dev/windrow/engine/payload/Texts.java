package dev.windrow.engine.payload;

import dev.windrow.ErrorCodes;
import java.io.PrintWriter;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * Prepares texts that are stored with an attempt for operators: cuts them to size and removes characters that a
 * database cannot store. No text is a reason to fail.
 */
public final class Texts {
    /** The most characters of a stack trace that are stored. */
    public static final int MAX_STACK_TRACE = 64 * 1024;
    /** The most characters of a line of a log that are stored. */
    static final int MAX_LINE = 1000;
    /** The most bytes of UTF-8 of an attempt's output that are stored. */
    static final int MAX_OUTPUT = 256 * 1024;

    private Texts() {}

    /**
     * Returns a detail in its stored form: at most {@link ErrorCodes#MAX_DETAIL} characters, never a part of a
     * surrogate pair.
     */
    public static @Nullable String detail(@Nullable String detail) {
        if (detail == null) {
            return null;
        }
        String storable = storable(detail);
        int max = ErrorCodes.MAX_DETAIL;
        if (storable.length() <= max) {
            return storable;
        }
        return storable.substring(0, Character.isHighSurrogate(storable.charAt(max - 1)) ? max - 1 : max);
    }

    /**
     * Returns the class and the message of an exception. The exception is foreign code, and reading its message may
     * fail.
     */
    public static String describe(Throwable e) {
        String type = e.getClass().getName();
        try {
            String message = e.getMessage();
            return message == null ? type : type + ": " + message;
        } catch (Throwable inMessage) {
            return type + " (its message could not be read: "
                    + inMessage.getClass().getName() + ")";
        }
    }

    /** Returns the stack trace of an exception, including its causes. */
    public static String stackTrace(Throwable e) {
        Limited text = new Limited(MAX_STACK_TRACE);
        try {
            // No try-with-resources: nothing needs to be closed, and the writer must be flushed only if printing
            // succeeded.
            e.printStackTrace(new PrintWriter(text));
        } catch (Throwable inPrinting) {
            text.add("(the stack trace could not be printed: "
                    + inPrinting.getClass().getName() + ")");
        }
        return storable(text.toString());
    }

    /** Returns the output of an attempt in its stored form. */
    public static String output(String text) {
        String clean = storable(text);
        if (clean.length() <= MAX_OUTPUT / 3) {
            return clean;
        }
        int bytes = 0;
        int i = 0;
        while (i < clean.length()) {
            int code = clean.codePointAt(i);
            bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
            if (bytes > MAX_OUTPUT) {
                return clean.substring(0, i);
            }
            i += Character.charCount(code);
        }
        return clean;
    }

    /**
     * Returns a line of a log, or the message of a progress, in its stored form: no character of it moves a terminal's
     * cursor.
     */
    public static String line(String text) {
        int end = Math.min(text.length(), MAX_LINE);
        StringBuilder line = new StringBuilder(end);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (pair && i + 1 < end) {
                line.append(c).append(text.charAt(++i));
            } else if (!pair) {
                line.append(printable(c));
            }
        }
        return line.toString();
    }

    /** The symbols for the control characters have the same order in Unicode as the characters themselves. */
    private static char printable(char c) {
        if (c == '\t') {
            return ' ';
        }
        return c < 0x20 ? (char) (0x2400 + c) : Character.isISOControl(c) || Character.isSurrogate(c) ? '\ufffd' : c;
    }

    /**
     * Removes NUL characters, which would end the text early in some programs that read the file. Replaces unpaired
     * surrogates by U+FFFD.
     */
    private static String storable(String text) {
        return UnpairedSurrogates.replaced(text.indexOf('\0') < 0 ? text : text.replace("\0", ""));
    }

    /** Keeps the beginning of the written text, so that a very long message costs no more than a long one. */
    private static final class Limited extends Writer {
        private final StringBuilder text = new StringBuilder();
        private final int limit;

        Limited(int limit) {
            this.limit = limit;
        }

        @Override
        public void write(char[] chars, int offset, int length) {
            int room = limit - text.length();
            if (room > 0) {
                text.append(chars, offset, Math.min(room, length));
            }
        }

        void add(String more) {
            write(more.toCharArray(), 0, more.length());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}

        @Override
        public String toString() {
            int end = text.length();
            // Never end inside a surrogate pair, because the database would refuse the text.
            return end > 0 && Character.isHighSurrogate(text.charAt(end - 1))
                    ? text.substring(0, end - 1)
                    : text.toString();
        }
    }
}
