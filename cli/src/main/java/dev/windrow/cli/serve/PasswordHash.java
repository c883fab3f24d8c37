package dev.windrow.cli.serve;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/** A hashed password: {@code pbkdf2-sha512:ROUNDS:SALT:HASH}. Checking one takes about a tenth of a second on purpose. */
final class PasswordHash {
    private static final int ROUNDS = 210_000;
    private static final int BYTES = 32;
    private static final Pattern TEXT =
            Pattern.compile("pbkdf2-sha512:([1-9][0-9]{3,6}):([A-Za-z0-9_-]{22,64}):([A-Za-z0-9_-]{43,86})");

    private final int rounds;
    private final byte[] salt;
    private final byte[] hash;

    private PasswordHash(int rounds, byte[] salt, byte[] hash) {
        this.rounds = rounds;
        this.salt = salt;
        this.hash = hash;
    }

    static PasswordHash of(String password) {
        byte[] salt = random(16);
        return new PasswordHash(ROUNDS, salt, hash(password, salt, ROUNDS, BYTES));
    }

    /** Returns the hash of no password, whose check takes as long as that of the slowest of these. */
    static PasswordHash ofNoPassword(Stream<PasswordHash> others) {
        return new PasswordHash(others.mapToInt(hash -> hash.rounds).max().orElse(ROUNDS), random(16), random(BYTES));
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    /** Returns null if the text is not a hashed password. */
    static @Nullable PasswordHash parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            return null;
        }
        Base64.Decoder decoder = Base64.getUrlDecoder();
        return new PasswordHash(
                Integer.parseInt(parts.group(1)), decoder.decode(parts.group(2)), decoder.decode(parts.group(3)));
    }

    boolean matches(String password) {
        return MessageDigest.isEqual(hash, hash(password, salt, rounds, hash.length));
    }

    private static byte[] hash(String password, byte[] salt, int rounds, int bytes) {
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512")
                    .generateSecret(new PBEKeySpec(password.toCharArray(), salt, rounds, bytes * 8))
                    .getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String toString() {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        return "pbkdf2-sha512:%d:%s:%s".formatted(rounds, encoder.encodeToString(salt), encoder.encodeToString(hash));
    }
}
