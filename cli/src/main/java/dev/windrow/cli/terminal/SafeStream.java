package dev.windrow.cli.terminal;

import dev.windrow.wire.SafeText;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The stream for all printed text, so that no command can forget the filter. Names, payloads, errors and log lines
 * come from outside. The stream replaces each character that controls a terminal by one that it only shows. UTF-8 in,
 * UTF-8 out.
 *
 * <p>The program's own sequences begin with {@link #ESCAPE} and pass. ESCAPE consists of two characters of private
 * use, chosen at random for this process. Stored text contains them only by a chance of one in four billion.
 */
public final class SafeStream extends PrintStream {
    private static final int FIRST = privateUse();
    private static final int SECOND = privateUse();

    /** The two characters that become ESC. */
    static final String ESCAPE = Character.toString(FIRST) + Character.toString(SECOND);

    private final PrintStream under;

    private SafeStream(PrintStream under) {
        super(new Filter(under), false, StandardCharsets.UTF_8);
        this.under = under;
    }

    /** Returns a stream that prints to the given one, or the given one itself if it is a safe stream. */
    public static SafeStream over(PrintStream stream) {
        return stream instanceof SafeStream safe ? safe : new SafeStream(stream);
    }

    /**
     * Returns the stream below, for code that draws by itself and shows nothing from outside. No text is buffered
     * above it.
     */
    public PrintStream under() {
        return under;
    }

    // The text and its line end in one write, because several processes may write to one log and must not mix within
    // a line.

    @Override
    public void println(String text) {
        print(text + System.lineSeparator());
    }

    @Override
    public void println(Object text) {
        println(String.valueOf(text));
    }

    @Override
    public boolean checkError() {
        boolean mine = super.checkError(); // flushes into the stream below
        return under.checkError() || mine;
    }

    /** Returns the text as it would reach the terminal. */
    static String shown(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        over(new PrintStream(bytes, false, StandardCharsets.UTF_8)).print(text);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static int privateUse() {
        return ThreadLocalRandom.current().nextInt(0x100000, 0x10fffe);
    }

    /** Decodes whole characters only, for any cut of the text into pieces. */
    private static final class Filter extends FilterOutputStream {
        private final StringBuilder text = new StringBuilder();
        private byte[] rest = {};
        private String held = "";

        Filter(PrintStream under) {
            super(under);
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            byte[] all = new byte[rest.length + length];
            System.arraycopy(rest, 0, all, 0, rest.length);
            System.arraycopy(bytes, offset, all, rest.length, length);
            int end = whole(all);
            rest = Arrays.copyOfRange(all, end, all.length);
            String piece = held + new String(all, 0, end, StandardCharsets.UTF_8);
            held = "";
            text.setLength(0);
            for (int i = 0; i < piece.length(); ) {
                int c = piece.codePointAt(i);
                int after = i + Character.charCount(c);
                if ((c == FIRST || c == '\r') && after == piece.length()) {
                    held = piece.substring(i); // the next character decides
                } else if (c == FIRST && piece.codePointAt(after) == SECOND) {
                    text.append('\u001b');
                    after += 2;
                } else {
                    boolean lineEnd = c == '\n' || (c == '\r' && piece.charAt(after) == '\n');
                    text.appendCodePoint(lineEnd || c == '\t' ? c : SafeText.printable(c));
                }
                i = after;
            }
            out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        }

        /**
         * Returns the number of bytes that form whole characters. The last character may continue in the next piece.
         */
        private static int whole(byte[] bytes) {
            for (int back = 1; back <= Math.min(3, bytes.length); back++) {
                int b = bytes[bytes.length - back] & 0xff;
                if (b >= 0xc0) {
                    int length = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
                    return length > back ? bytes.length - back : bytes.length;
                }
                if (b < 0x80) {
                    return bytes.length;
                }
            }
            return bytes.length;
        }
    }
}
