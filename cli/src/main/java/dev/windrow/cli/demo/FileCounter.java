package dev.windrow.cli.demo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads one file from its beginning to its end, in memory that does not grow with it.
 *
 * <p>Lines are newline bytes. Words are runs of characters that are not {@link Character#isWhitespace(char)
 * whitespace}, in the bytes decoded as UTF-8, with malformed ones replaced. Unicode has no whitespace beyond its
 * first 65536 characters. In the list of frequent words a word is in lower case, and begins and ends with a letter or
 * digit. It counts there if it has a letter and at most 64 characters.
 */
public final class FileCounter {
    /** The number of different words that the result of a file keeps: all of them, for most files. */
    public static final int WORDS = 1000;

    private static final int BUFFER = 64 * 1024;
    private static final int DISTINCT = 50_000;
    private static final int LONGEST = 64;

    private final MessageDigest digest = sha256();
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final CharBuffer chars;
    private final TopWords topWords = new TopWords(DISTINCT);
    private final StringBuilder word = new StringBuilder();
    private boolean inWord;
    private boolean tooLong;
    /** The position in the buffer at which the newly read bytes begin. */
    private int fresh;

    private long bytes;
    private long lines;
    private long words;

    private FileCounter(int bufferSize) {
        this.chars = CharBuffer.allocate(bufferSize);
    }

    /**
     * Counts the content of a channel. Returns null at the first NUL byte: then the file is not text, and the reading
     * ends.
     */
    public static @Nullable FileCount count(ReadableByteChannel file) throws IOException {
        return count(file, BUFFER);
    }

    public static @Nullable FileCount count(ReadableByteChannel file, int bufferSize) throws IOException {
        return new FileCounter(bufferSize).read(file, ByteBuffer.allocate(bufferSize));
    }

    @SuppressWarnings("ByteBufferBackingArray") // allocated, so the array begins where the buffer does
    private @Nullable FileCount read(ReadableByteChannel file, ByteBuffer buffer) throws IOException {
        byte[] array = buffer.array();
        while (file.read(buffer) >= 0) {
            // Before the new bytes is the beginning of a character that the end of the buffer had cut.
            if (!countBytes(array, buffer.position())) {
                return null;
            }
            buffer.flip();
            decode(buffer, false);
            buffer.compact();
            fresh = buffer.position();
        }
        buffer.flip();
        decode(buffer, true);
        endWord();
        return new FileCount(
                /* sha256= */ HexFormat.of().formatHex(digest.digest()),
                /* bytes= */ bytes,
                /* lines= */ lines,
                /* words= */ words,
                /* topWords= */ topWords.top(WORDS),
                /* missing= */ topWords.missing());
    }

    private boolean countBytes(byte[] array, int end) {
        for (int i = fresh; i < end; i++) {
            if (array[i] == 0) {
                return false;
            }
            if (array[i] == '\n') {
                lines++;
            }
        }
        digest.update(array, fresh, end - fresh);
        bytes += end - fresh;
        return true;
    }

    private void decode(ByteBuffer buffer, boolean last) {
        boolean more = true;
        while (more) {
            more = decoder.decode(buffer, chars, last).isOverflow();
            take();
        }
        if (last) {
            decoder.flush(chars);
            take();
        }
    }

    private void take() {
        chars.flip();
        while (chars.hasRemaining()) {
            char c = chars.get();
            if (Character.isWhitespace(c)) {
                endWord();
            } else if (!inWord) {
                inWord = true;
                words++;
                word.append(c);
            } else if (word.length() < 4 * LONGEST) {
                word.append(c);
            } else {
                tooLong = true;
            }
        }
        chars.clear();
    }

    private void endWord() {
        if (inWord && !tooLong) {
            String plain = plain(word);
            if (plain != null) {
                topWords.add(plain);
            }
        }
        inWord = false;
        tooLong = false;
        word.setLength(0);
    }

    private static @Nullable String plain(CharSequence word) {
        int start = 0;
        int end = word.length();
        while (start < end && !Character.isLetterOrDigit(Character.codePointAt(word, start))) {
            start += Character.charCount(Character.codePointAt(word, start));
        }
        while (start < end && !Character.isLetterOrDigit(Character.codePointBefore(word, end))) {
            end -= Character.charCount(Character.codePointBefore(word, end));
        }
        CharSequence bare = word.subSequence(start, end);
        if (bare.codePoints().noneMatch(Character::isLetter) || bare.length() > LONGEST) {
            return null;
        }
        return bare.toString().toLowerCase(Locale.ROOT);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
