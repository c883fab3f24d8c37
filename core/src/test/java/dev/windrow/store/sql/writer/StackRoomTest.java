package dev.windrow.store.sql.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class StackRoomTest {
    private static final int MEBIBYTE = 1 << 20;

    @Test
    void aStackHasRoomAsLongAsItIsNotDeep() throws InterruptedException {
        boolean[] has = new boolean[3];
        Thread thread = new Thread(
                null,
                () -> {
                    has[0] = StackRoom.has(16 * 1024);
                    has[1] = StackRoom.has(64 * MEBIBYTE);
                    has[2] = hasAtTheEnd(0);
                },
                "deep",
                MEBIBYTE);
        thread.start();
        thread.join();
        assertThat(has).containsExactly(true, false, false);
    }

    /** Asks as deep in the stack as it can be asked. */
    private static boolean hasAtTheEnd(int depth) {
        try {
            return depth == Integer.MAX_VALUE || hasAtTheEnd(depth + 1);
        } catch (StackOverflowError e) {
            return StackRoom.has(16 * 1024);
        }
    }

    @Test
    void requiredRoomThatIsNotLeftIsAnOverflow() {
        StackRoom.require(4096);
        assertThatThrownBy(() -> StackRoom.require(1024 * MEBIBYTE)).isInstanceOf(StackOverflowError.class);
    }
}
