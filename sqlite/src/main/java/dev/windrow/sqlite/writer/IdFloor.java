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
 * No id below it is given again. A transaction that is rolled back takes the allocator's row back with it; but its caller has been told its
 * ids, and must never find another caller's job there. So the floor is kept beside the database, in memory that all processes on the
 * file share, and survives those that are killed.
 */
public final class IdFloor {
    private static final VarHandle VALUE = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final MappedByteBuffer shared;

    private IdFloor(MappedByteBuffer shared) {
        this.shared = shared;
    }

    /** Maps this file, which exists. */
    public static IdFloor in(Path file) throws IOException {
        // A channel closes itself when a thread whose interrupt is set uses it.
        boolean interrupted = Thread.interrupted();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (channel.size() < Long.BYTES) {
                // The highest byte, which is zero whatever another process has raised the floor to meanwhile. Where the
                // disk is
                // full this fails, and not a later write to the memory, which the kernel would answer by a signal.
                channel.write(ByteBuffer.allocate(1), Long.BYTES - 1);
            }
            return new IdFloor(channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    long get() {
        return (long) VALUE.getVolatile(shared, 0);
    }

    /** Called with the write lock, before any of the ids below it is told. */
    void raise(long floor) {
        if (floor > get()) {
            VALUE.setVolatile(shared, 0, floor);
        }
    }
}
