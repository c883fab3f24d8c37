package dev.windrow.bench;

import dev.windrow.Windrow;
import dev.windrow.sqlite.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The limit of a caller that waits for each commit to a file. It writes as many bytes as a lone enqueue appends to
 * SQLite's log, and waits for the disk by fdatasync. SQLite's driver waits by fsync, which also writes the times of the
 * file. Nothing else happens. The file has its length before, because SQLite's log keeps its own.
 */
final class FlushLoop implements AutoCloseable {
    /** The length of the log before SQLite begins at its start again, by the setting of the store: 4000 pages. */
    private static final int LENGTH = 16 << 20;
    /** The number of jobs by which the bytes of a commit are measured. */
    private static final int SAMPLED = 50;

    private static final long NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer bytes;
    private long position;

    FlushLoop(Path file, int length) throws IOException {
        this.file = file;
        this.bytes = ByteBuffer.allocateDirect(length);
        this.channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        for (long at = 0; at < LENGTH + length; at += length) {
            channel.write(bytes.rewind(), at);
        }
        channel.force(true);
    }

    /** Returns a loop on a new file; null if commits do not wait for this machine's disk. */
    static @Nullable FlushLoop beside(Ground ground) throws SQLException, IOException {
        if (!ground.databases().hasBareLoop() || ground.settings().durability() != Durability.FULL) {
            return null;
        }
        return new FlushLoop(ground.scratch().newFile(), bytesOfCommit(ground));
    }

    private static int bytesOfCommit(Ground ground) throws SQLException, IOException {
        FileDatabase database = new FileDatabase(ground.scratch().newFile(), Durability.FULL);
        try (Windrow windrow = database.open()) {
            for (int i = 0; i < SAMPLED; i++) {
                windrow.enqueue(Work.NO_OP.job(ground.settings().payload()));
            }
            // SQLite has no locks on its log, so that it may be read here.
            return SqliteLog.bytesOfCommit(database.log());
        } finally {
            database.remove();
        }
    }

    /** Returns the bytes of each write. */
    int bytes() {
        return bytes.capacity();
    }

    /** Writes once, and waits for the disk. */
    void flush() throws IOException {
        channel.write(bytes.rewind(), position);
        channel.force(false);
        position = position >= LENGTH ? 0 : position + bytes.capacity();
    }

    /** Writes for a second, at most this often. Returns writes a second. */
    double perSecond(int most) throws IOException {
        long start = System.nanoTime();
        int done = 0;
        while (System.nanoTime() - start < NANOS && done < most) {
            flush();
            done++;
        }
        return done / ((System.nanoTime() - start) / 1e9);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.delete(file);
    }
}
