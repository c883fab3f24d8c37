package dev.windrow.tests.processes;

import dev.windrow.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The machine's clocks, with a wall clock that is wrong by the seconds in a file, as after an operator's clock step. A store treats it as the
 * machine's clock. A test clock would be different, because a store has no other clock beside it.
 */
public final class SteppedTime implements TimeSource {
    private final Path offset;

    public SteppedTime(Path offset) {
        this.offset = offset;
    }

    /** Sets all clocks of this file wrong by these seconds. 0 corrects them. */
    public static void step(Path offset, long seconds) throws IOException {
        Path next = offset.resolveSibling(offset.getFileName() + ".new");
        Files.writeString(next, Long.toString(seconds));
        Files.move(next, offset, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public Instant now() {
        try {
            return Instant.now().plusSeconds(Long.parseLong(Files.readString(offset)));
        } catch (NoSuchFileException e) {
            return Instant.now();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos) throws InterruptedException {
        TimeSource.system().awaitUntil(lock, condition, deadlineNanos);
    }

    @Override
    public boolean equals(Object other) {
        return other == this || other == TimeSource.system();
    }

    @Override
    public int hashCode() {
        return TimeSource.system().hashCode();
    }
}
