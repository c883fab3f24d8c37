package dev.windrow.sqlite.monitor;

import static dev.windrow.store.sql.monitor.Finding.bytes;

import dev.windrow.Durations;
import dev.windrow.sqlite.connection.LockHolder;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.processes.PeerProcesses;
import dev.windrow.sqlite.schema.SchemaSql;
import dev.windrow.store.sql.monitor.Check;
import dev.windrow.store.sql.monitor.Check.Reach;
import dev.windrow.store.sql.monitor.Check.Search;
import dev.windrow.store.sql.monitor.DataChecks;
import dev.windrow.store.sql.monitor.Finding;
import dev.windrow.store.sql.monitor.Findings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The checks of a file. Some exist for files only: the settings, the log, the disk, the holder of the lock, and the pages. */
final class FileChecks {
    private static final long MIB = 1 << 20;
    /** The length to which SQLite truncates the log when it starts the log again. */
    private static final long LOG_LIMIT = 64 * MIB;
    /** Sixteen times the limit. Every reader searches the log, and the next process to open it after a crash reads all of it. */
    private static final long LOG_TOO_LONG = 1024 * MIB;
    /** The space that the log may need before it is truncated. With less, the next busy minute ends with a full disk. */
    private static final long LEAST_SPACE = LOG_LIMIT;
    /** The divisor of the size of a large file. Writing back its log and a peak of jobs may need one twentieth of it, 5 %. */
    private static final long PART_OF_FILE = 20;

    private static final Duration NOTABLE_LOCK = Duration.ofSeconds(1);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    /** The checks of a file, in their order: the fastest ones first. */
    static final List<Check<? super ExaminedFile>> ALL = List.of(
            new Check<ExaminedFile>(
                    "settings",
                    Reach.ENVIRONMENT,
                    "start a worker, or run a command that changes something: it corrects the settings",
                    (store, findings) -> settings(store.database(), store.file().settings())),
            new Check<ExaminedFile>(
                    "write-ahead-log",
                    Reach.ENVIRONMENT,
                    "end the long read, or the process that makes it; then the log is truncated automatically",
                    (store, findings) -> log(size(beside(store.path(), "-wal")))),
            new Check<ExaminedFile>(
                    "disk-space",
                    Reach.ENVIRONMENT,
                    "free space on the disk of the file",
                    (store, findings) -> store.file().isWritable()
                            ? space(store.path())
                            : Finding.ok("skipped: this user may not write here")),
            new Check<ExaminedFile>(
                    "write-lock",
                    Reach.ENVIRONMENT,
                    "end the transaction of the process that holds it, or that process",
                    (store, findings) -> store.file().isWritable()
                            ? writeLock(store)
                            : Finding.note(
                                    "this user may not write the file or its folder: the file can be read here; workers, and commands that change something, need a copy of it in another folder")),
            DataChecks.plans("drop the table sqlite_stat1, which ANALYZE has made"),
            DataChecks.LEASES,
            DataChecks.QUEUES,
            DataChecks.HANDLERS,
            DataChecks.STUCK_SLOTS,
            DataChecks.schedules(),
            DataChecks.integrity(Reach.ALL_PAGES, FileChecks::integrity),
            Check.failingIfAny(
                    "foreign-keys",
                    Reach.ALL_ROWS,
                    DataChecks.BY_HAND,
                    "every row refers to an existing row",
                    Check.rows(CheckSql.CHECK_FOREIGN_KEYS, row -> {
                        String number = row.getString(2);
                        return "a row of %s%s refers to a missing row of %s"
                                .formatted(
                                        row.getString(1), number == null ? "" : " (" + number + ")", row.getString(3));
                    })),
            DataChecks.orphans(),
            DataChecks.COUNTERS,
            DataChecks.EDGES,
            DataChecks.states(),
            DataChecks.LIMITS,
            DataChecks.ATTEMPTS);

    private FileChecks() {}

    private static Finding integrity(ExaminedFile store, Findings findings) throws SQLException {
        boolean quick = store.examination().request().quick();
        Search pages = Check.rows(quick ? CheckSql.CHECK_INTEGRITY_QUICKLY : CheckSql.CHECK_INTEGRITY, row -> {
            String said = row.getString(1);
            return said.equals("ok") ? null : said.strip().replaceAll("\\s*\n\\s*", ", ");
        });
        boolean isWhole = store.inSnapshot(statements -> {
            pages.search(statements, findings);
            return findings.isEmpty();
        });
        String whole = quick
                ? "pages and rows are intact (quick: indexes were not compared with tables)"
                : "the file is intact";
        return isWhole && (store.database().isUnchanging() || !Files.isWritable(store.path()))
                ? Finding.note(
                        whole
                                + "; rows were not compared with their constraints: SQLite does that only for users that may write the file")
                : Finding.failedIfAny(findings, whole);
    }

    /**
     * Checks the settings that are stored in the file, and adds the settings of this program's connections. The settings of another connection cannot
     * be read.
     *
     * @param connections the settings that {@link SqliteFile} makes for connections that write
     */
    private static Finding settings(SqliteFile.Opened database, String connections) throws SQLException {
        // SQLite does not tell whether an unchanging file would have a log.
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
                : Finding.note(
                        seen + ": free space stays in the file (with 2 it could be given back to the file system)");
    }

    /**
     * Watches the write lock. A lock is in use if its holder changes between two polls, or if a transaction commits under it. A lock that is held
     * without a commit for as long as writers wait prevents all writes.
     */
    private static Finding writeLock(ExaminedFile store) throws SQLException {
        SqliteFile.Opened database = store.database();
        String version = database.query(SchemaSql.DATA_VERSION);
        long start = System.nanoTime();
        List<String> holders = holders(store.path());
        List<String> first = holders;
        while (!holders.isEmpty() && holders.equals(first)) {
            if (!database.query(SchemaSql.DATA_VERSION).equals(version)) {
                return Finding.ok("in use, and changes are committed");
            }
            Duration held = Duration.ofNanos(System.nanoTime() - start);
            if (held.compareTo(store.operationTimeout()) >= 0) {
                return Finding.failed("held for at least %s by %s, without a commit: writes of other processes fail"
                        .formatted(seconds(held), String.join(", ", holders)));
            }
            if (Thread.currentThread().isInterrupted()) {
                break;
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
            holders = holders(store.path());
        }
        Duration held = Duration.ofNanos(System.nanoTime() - start);
        return held.compareTo(NOTABLE_LOCK) < 0
                ? Finding.ok(first.isEmpty() ? "no holder is known" : "in use for short times")
                : Finding.note("was held for %s by %s".formatted(seconds(held), String.join(", ", first)));
    }

    private static String seconds(Duration duration) {
        return Durations.text(duration.truncatedTo(ChronoUnit.MILLIS));
    }

    private static List<String> holders(Path file) {
        return LockHolder.of(beside(file, "-shm"), PeerProcesses.SQLITE_WRITE_LOCK);
    }

    static Finding log(long size) {
        if (size <= LOG_LIMIT) {
            return Finding.ok(bytes(size));
        }
        String seen = "%s, more than the %s to which it is truncated: a long read prevents that"
                .formatted(bytes(size), bytes(LOG_LIMIT));
        return size <= LOG_TOO_LONG
                ? Finding.note(seen + ", or did before; then the next commits truncate it")
                : Finding.failed(seen + "; end the read, or the process that makes it");
    }

    private static Finding space(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        long free = Files.getFileStore(folder == null ? file : folder).getUsableSpace();
        return space(free, size(file) + size(beside(file, "-wal")));
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

    private static Path beside(Path file, String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    private static long size(Path path) throws IOException {
        try {
            return Files.size(path);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }
}
