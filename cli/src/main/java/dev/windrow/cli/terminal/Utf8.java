package dev.windrow.cli.terminal;

import dev.windrow.cli.Secrets;
import dev.windrow.cli.UsageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The exact arguments and environment variables. The JVM decodes them with the locale's character set and replaces
 * each undecodable byte by U+FFFD. A payload would then be stored altered, and a file would get another name. If a
 * text contains that character, this class reads the bytes themselves, which Linux keeps below {@code /proc/self}. If
 * they are UTF-8, they may really contain the character; else they are refused. Without {@code /proc} the two cases
 * cannot be distinguished, and a refusal is better than an altered job.
 */
public final class Utf8 {
    private static final char REPLACEMENT = '\ufffd';

    private Utf8() {}

    /**
     * Returns the arguments of this process.
     *
     * @throws UsageException if one of them is not UTF-8
     */
    public static String[] arguments(String... args) {
        if (Arrays.stream(args).noneMatch(Utf8::isDoubtful)) {
            return args;
        }
        List<byte[]> words = words("/proc/self/cmdline");
        String[] decoded = args.clone();
        for (int i = 0; i < args.length; i++) {
            if (isDoubtful(args[i])) {
                // The JVM's own arguments come first.
                byte[] word = words == null ? null : words.get(words.size() - args.length + i);
                decoded[i] = decoded("argument " + (i + 1), args[i], word);
            }
        }
        return decoded;
    }

    /**
     * Returns a variable of this environment; null if it is not set.
     *
     * @throws UsageException if it is not UTF-8
     */
    static @Nullable String variable(Map<String, String> environment, String name) {
        String value = environment.get(name);
        if (value == null || !isDoubtful(value)) {
            return value;
        }
        List<byte[]> words = words("/proc/self/environ");
        byte[] prefix = (name + "=").getBytes(StandardCharsets.US_ASCII);
        byte[] word = words == null
                ? null
                : words.stream()
                        .filter(each -> startsWith(each, prefix))
                        .findFirst()
                        .map(each -> Arrays.copyOfRange(each, prefix.length, each.length))
                        .orElse(null);
        return decoded(name, value, word);
    }

    /** Decodes the bytes, if they are known and UTF-8. The error does not repeat text that may contain a password. */
    static String decoded(String what, String asTheJvmReadIt, byte @Nullable [] bytes) {
        if (bytes == null) {
            throw new UsageException(
                    ("%s is not UTF-8 or contains the character U+FFFD; this system cannot distinguish the two;"
                                    + " in JSON, write the character as \\ufffd")
                            .formatted(named(what, TerminalText.oneLine(asTheJvmReadIt))));
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new UsageException(
                    "%s is not UTF-8; nothing was done; use UTF-8".formatted(named(what, visible(bytes))));
        }
    }

    private static String named(String what, String value) {
        return what.contains("PASSWORD") || Secrets.mayHoldOne(value) ? what : "%s, '%s',".formatted(what, value);
    }

    /** True if the JVM may have altered the text. */
    public static boolean isDoubtful(String word) {
        return word.indexOf(REPLACEMENT) >= 0;
    }

    /** Returns the words of a file; null if the file does not exist. */
    private static @Nullable List<byte[]> words(String file) {
        byte[] all;
        try {
            all = Files.readAllBytes(Path.of(file));
        } catch (IOException e) {
            return null;
        }
        List<byte[]> words = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < all.length; i++) {
            if (all[i] == 0) {
                words.add(Arrays.copyOfRange(all, start, i));
                start = i + 1;
            }
        }
        return words;
    }

    private static boolean startsWith(byte[] word, byte[] prefix) {
        return word.length >= prefix.length && Arrays.equals(word, 0, prefix.length, prefix, 0, prefix.length);
    }

    /** Returns the bytes as text: ASCII unchanged, all other bytes as numbers in the syntax of a shell's printf. */
    private static String visible(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append(b >= 0x20 && b < 0x7f ? String.valueOf((char) b) : "\\x%02x".formatted(b));
        }
        return TerminalText.clip(text.toString(), 200);
    }
}
