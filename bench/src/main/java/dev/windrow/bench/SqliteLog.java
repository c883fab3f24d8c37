package dev.windrow.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads SQLite's write-ahead log ("The WAL File Format", sqlite.org/fileformat2.html): a header, then a frame for each
 * written page. The last frame of a commit has the number of the database's pages, each other one a zero there. Frames
 * from before the log began at its start again have another salt.
 */
final class SqliteLog {
    private static final int HEADER = 32;
    private static final int FRAME_HEADER = 24;
    private static final int PAGE_SIZE_AT = 8;
    private static final int SALT_AT = 16;
    private static final int FRAME_PAGES_AT = 4;
    private static final int FRAME_SALT_AT = 8;

    private SqliteLog() {}

    /** Returns the bytes of the median commit in a log. */
    static int bytesOfCommit(Path log) throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(log));
        Samples commits = new Samples();
        if (file.capacity() >= HEADER) {
            int frame = FRAME_HEADER + file.getInt(PAGE_SIZE_AT);
            int bytes = 0;
            for (int at = HEADER; at + frame <= file.capacity(); at += frame) {
                if (file.getLong(at + FRAME_SALT_AT) != file.getLong(SALT_AT)) {
                    break;
                }
                bytes += frame;
                if (file.getInt(at + FRAME_PAGES_AT) != 0) {
                    commits.add(bytes);
                    bytes = 0;
                }
            }
        }
        Double median = commits.median();
        if (median == null) {
            throw new BenchException("SQLite's log has no commit: " + log);
        }
        return median.intValue();
    }
}
