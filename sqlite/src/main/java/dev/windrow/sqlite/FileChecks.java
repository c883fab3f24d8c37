package dev.windrow.sqlite;

import dev.windrow.Durations;
import dev.windrow.store.sql.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/** The checks around the file: its settings, its log, the disk below it, who holds its lock. Only attributes are read. */
final class FileChecks {
    private static final long MIB = 1 << 20;
    /** To this length the log is cut when it begins anew. */
    private static final long LOG_LIMIT = 64 * MIB;
    /** Sixteen times that. Every reader searches the log, and the next one to open it after a crash reads all of it. */
    private static final long LOG_TOO_LONG = 1024 * MIB;
    /** What the log may need before it is cut; with less, the next busy minute ends with a full disk. */
    private static final long LEAST_SPACE = LOG_LIMIT;
    /** Of a large file, writing back its log and a peak of jobs may need this part of it: one in twenty, 5 %. */
    private static final long PART_OF_FILE = 20;

    private static final Duration NOTABLE_HOLD = Duration.ofSeconds(1);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    /** Nothing is written. */
    static final Finding READ_ONLY_SPACE = Finding.ok("not asked: this user may not write here");

    static final Finding READ_ONLY = Finding.note(
            "this user may not write the file, or not beside it: it can be looked at here; workers, and commands that change something, need a copy of it in another folder");

    private final Path file;
    private final Duration operationTimeout;

    FileChecks(Path file, Duration operationTimeout) {
        this.file = file;
        this.operationTimeout = operationTimeout;
    }

    /**
     * What is written in the file itself, and what is set for each connection: nobody can see that of another connection.
     *
     * @param connections what {@link SqliteFile} sets for those that write
     */
    static Finding settings(SqliteFile.Opened database, String connections) throws SQLException {
        // SQLite does not say whether there would be a log.
        boolean unchanging = database.isUnchanging();
        String journal = unchanging ? "not asked" : database.query(CheckSql.JOURNAL_MODE);
        String vacuum = database.query(CheckSql.AUTO_VACUUM);
        String pages = database.query(CheckSql.PAGE_SIZE);
        String seen = "journal_mode %s, auto_vacuum %s, page_size %s; set by each connection of this program: %s"
                .formatted(journal, vacuum, pages, connections);
        if (!unchanging && !journal.equalsIgnoreCase("wal")) {
            return Finding.failed(
                    seen
                            + ": without the write-ahead log readers and the writer wait for each other; the next open by Windrow sets it");
        }
        return vacuum.equals("2")
                ? Finding.ok(seen)
                : Finding.note(seen + ": space that is freed stays in the file (2 would let it be given back)");
    }

    /**
     * A lock that changes hands between two looks, or under which something is committed, is in use; one that is held
     * without a commit for as long as others wait keeps everybody from writing.
     */
    Finding writeLock(SqliteFile.Opened database) throws SQLException {
        String version = database.query(Sql.DATA_VERSION);
        long start = System.nanoTime();
        List<String> holders = holders();
        List<String> first = holders;
        while (!holders.isEmpty() && holders.equals(first)) {
            if (!database.query(Sql.DATA_VERSION).equals(version)) {
                return Finding.ok("in use, and changes are committed");
            }
            Duration held = Duration.ofNanos(System.nanoTime() - start);
            if (held.compareTo(operationTimeout) >= 0) {
                return Finding.failed("held for at least %s by %s, without a commit: writes of others fail by now"
                        .formatted(seconds(held), String.join(", ", holders)));
            }
            if (Thread.currentThread().isInterrupted()) {
                break;
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
            holders = holders();
        }
        Duration held = Duration.ofNanos(System.nanoTime() - start);
        return held.compareTo(NOTABLE_HOLD) < 0
                ? Finding.ok(first.isEmpty() ? "nobody is known to hold it" : "in use for moments")
                : Finding.note("was held for %s by %s".formatted(seconds(held), String.join(", ", first)));
    }

    private static String seconds(Duration duration) {
        return Durations.text(duration.truncatedTo(ChronoUnit.MILLIS));
    }

    private List<String> holders() {
        return LockHolder.of(beside("-shm"), Neighbours.SQLITE_WRITE_LOCK);
    }

    Finding log() throws IOException {
        return log(size(beside("-wal")));
    }

    static Finding log(long size) {
        if (size <= LOG_LIMIT) {
            return Finding.ok(bytes(size));
        }
        String seen = "%s, more than the %s to which it is cut: a long read keeps it from beginning anew"
                .formatted(bytes(size), bytes(LOG_LIMIT));
        return size <= LOG_TOO_LONG
                ? Finding.note(seen + ", or did, and the next busy moment cuts it")
                : Finding.failed(seen + "; end the read, or the process that makes it");
    }

    Finding space() throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        long free = Files.getFileStore(folder == null ? file : folder).getUsableSpace();
        return space(free, size(file) + size(beside("-wal")));
    }

    static Finding space(long free, long used) {
        long needed = Math.max(LEAST_SPACE, used / PART_OF_FILE);
        String seen = "%s free, the file and its log have %s".formatted(bytes(free), bytes(used));
        return free >= needed
                ? Finding.ok(seen)
                : Finding.failed(seen
                        + ": at least %s should be free (%s for the log, 5 %% of a large file)"
                                .formatted(bytes(needed), bytes(LEAST_SPACE)));
    }

    private Path beside(String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    private static long size(Path path) throws IOException {
        try {
            return Files.size(path);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    private static String bytes(long bytes) {
        if (bytes < 10 * MIB) {
            return "%d KiB".formatted(bytes / 1024);
        }
        return bytes < 10 * 1024 * MIB
                ? "%d MiB".formatted(bytes / MIB)
                : String.format(Locale.ROOT, "%.1f GiB", (double) bytes / (1024 * MIB));
    }
}
