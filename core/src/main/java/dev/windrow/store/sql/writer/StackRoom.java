package dev.windrow.store.sql.writer;

/**
 * The question how much of a thread's stack is left. A stack that ends in the middle of certain work leaves it half done for all threads: a lock of a file
 * that stays taken, or a waiting thread that a {@link java.util.concurrent.locks.Condition} has neither woken nor kept. So the work is not begun.
 */
public final class StackRoom {
    /** The least bytes of a compiled call of {@link #descend}: most of its arguments do not fit into registers. Measured on x64: 47. */
    private static final int BYTES_OF_A_CALL = 40;

    private StackRoom() {}

    /** True if this many bytes are left. The JVM keeps more for native code. */
    public static boolean has(int bytes) {
        try {
            require(bytes);
            return true;
        } catch (StackOverflowError e) {
            return false;
        }
    }

    /**
     * Requires that this many bytes are left. Code that is not compiled yet requires up to seven times as many.
     *
     * @throws StackOverflowError if they are not
     */
    public static void require(int bytes) {
        int calls = bytes / BYTES_OF_A_CALL;
        if (descend(calls, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1) != calls + 1) {
            throw new AssertionError(); // the calls are needed for this, so the compiler cannot leave them out
        }
    }

    private static int descend(
            int calls, int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m) {
        return calls == 0 ? a : 1 + descend(calls - 1, b, c, d, e, f, g, h, i, j, k, l, m, a);
    }
}
