package dev.windrow.engine.transfer;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The number of rows and a sum over them that does not depend on their order. It finds errors, not forgery. */
final class Checksum {
    /** The parameters of FNV-1a, 64 bits ("The FNV Non-Cryptographic Hash Algorithm", draft-eastlake-fnv). */
    private static final long BASIS = 0xcbf29ce484222325L;

    private static final long PRIME = 0x100000001b3L;

    private long rows;
    private long sum;

    void add(@Nullable Object[] row) {
        rows++;
        sum += of(row);
    }

    long rows() {
        return rows;
    }

    String text() {
        return "%016x".formatted(sum);
    }

    private static long of(@Nullable Object[] row) {
        long hash = BASIS;
        for (Object value : row) {
            hash = mixed(hash, value);
        }
        // These steps make the sums of similar rows differ in all of their bits (the last steps of MurmurHash3, 64
        // bits).
        hash ^= hash >>> 33;
        hash *= 0xff51afd7ed558ccdL;
        hash ^= hash >>> 33;
        hash *= 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }

    private static long mixed(long before, @Nullable Object value) {
        long hash = before;
        if (value == null) {
            return (hash ^ 0x9e3779b97f4a7c15L) * PRIME;
        } else if (value instanceof Long number) {
            return number(hash, number);
        } else if (value instanceof Double fraction) {
            return number(hash, Double.doubleToLongBits(fraction));
        } else if (value instanceof String text) {
            hash = number(hash, text.length());
            for (int i = 0; i < text.length(); i++) {
                hash = (hash ^ text.charAt(i)) * PRIME;
            }
            return hash;
        }
        byte[] bytes = (byte[]) value;
        hash = number(hash, bytes.length);
        for (byte each : bytes) {
            hash = (hash ^ Byte.toUnsignedLong(each)) * PRIME;
        }
        return hash;
    }

    private static long number(long before, long number) {
        long low = number & 0xffff_ffffL;
        long hash = (before ^ low) * PRIME;
        long high = number >>> 32;
        return (hash ^ high) * PRIME;
    }

    static boolean isSame(@Nullable Object[] a, @Nullable Object[] b) {
        for (int i = 0; i < a.length; i++) {
            boolean same = (a[i] instanceof byte[] bytes && b[i] instanceof byte[] others)
                    ? Arrays.equals(bytes, others)
                    : Objects.equals(a[i], b[i]);
            if (!same) {
                return false;
            }
        }
        return true;
    }

    /** Returns about how much memory a row takes, in bytes. */
    static int weight(@Nullable Object[] row) {
        int weight = 32;
        for (Object value : row) {
            weight += value instanceof String text ? text.length() : value instanceof byte[] bytes ? bytes.length : 16;
        }
        return weight;
    }

    boolean isSameAs(Checksum other) {
        return rows == other.rows && sum == other.sum;
    }

    @Override
    public String toString() {
        return "%d rows (checksum %s)".formatted(rows, text());
    }
}
