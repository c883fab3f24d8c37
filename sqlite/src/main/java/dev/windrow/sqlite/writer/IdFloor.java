package dev.windrow.sqlite.writer;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The limit below which no id of a queue is used again. A rollback also restores the allocator's row. But its caller has already got its ids, and must never
 * find another caller's job under them. So the floor is stored beside the database, in memory that all processes on the file share. It survives
 * processes that are killed. The last process deletes it when the database has it.
 */
public final class IdFloor {
    /** The place of the floor, and of the highest floor that the database has. */
    private static final int FLOOR = 0;

    private static final int KEPT = Long.BYTES;
    private static final int SIZE = 2 * Long.BYTES;

    private static final VarHandle VALUE = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final MappedByteBuffer shared;

    private IdFloor(MappedByteBuffer shared) {
        this.shared = shared;
    }

    /** Maps this file, which exists. */
    public static IdFloor in(Path file) throws IOException {
        // A channel closes itself when an interrupted thread uses it.
        boolean interrupted = Thread.interrupted();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (channel.size() < SIZE) {
                // Writes the highest byte, which is zero for any number that another process may have set by now. On a
                // full disk this write fails. Without it a later write to the memory would fail, which the kernel
                // reports by a signal.
                channel.write(ByteBuffer.allocate(1), SIZE - 1);
            }
            return new IdFloor(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    long get() {
        return (long) VALUE.getVolatile(shared, FLOOR);
    }

    /** Raises the floor. Called under the write lock, before a caller gets any of the ids below the floor. */
    void raise(long floor) {
        if (floor > get()) {
            VALUE.setVolatile(shared, FLOOR, floor);
        }
    }

    /** Records that the database has this floor. */
    void kept(long floor) {
        VALUE.setVolatile(shared, KEPT, floor);
    }

    /** True if the database has the floor, so that the file may be deleted. */
    public boolean isKept() {
        return get() <= (long) VALUE.getVolatile(shared, KEPT);
    }
}
