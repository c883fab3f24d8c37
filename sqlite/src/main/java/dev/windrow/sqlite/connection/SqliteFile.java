package dev.windrow.sqlite.connection;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.schema.SchemaSql;
import dev.windrow.store.SafeLogger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteOpenMode;

/**
 * Opens connections to one database file, with the settings that everything else relies on.
 *
 * <p>The file, its log and its shared memory are never touched with Java's file classes: on POSIX, closing any
 * descriptor of a file drops all locks that the process holds on it, SQLite's included. Only attributes are read.
 */
public final class SqliteFile {
    private static final Logger log = SafeLogger.of(SqliteFile.class);

    private final Path path;
    private final Durability durability;
    private final long timeoutMillis;
    /** What the operating system knows the file by; null where it tells no such thing. */
    private volatile @Nullable Object key;

    public SqliteFile(Path path, Durability durability, long timeoutMillis) {
        this.path = path.toAbsolutePath();
        this.durability = durability;
        this.timeoutMillis = timeoutMillis;
    }

    public Path path() {
        return path;
    }

    /** From now on the file that is there is the one that is meant. */
    public void identify() {
        try {
            key = key();
        } catch (IOException e) {
            log.debug("Whether {} is replaced will not be noticed: {}", path, e.toString());
        }
    }

    private @Nullable Object key() throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    /**
     * Refuses to go on with a file that is not the one that was identified. Whoever has it open goes on with the file of before, which nobody else
     * sees, and its log could be taken for the new file's.
     */
    public void requireSame() {
        Object meant = key;
        if (meant == null) {
            return;
        }
        String become = "was replaced by another file";
        try {
            if (meant.equals(key())) {
                return;
            }
        } catch (NoSuchFileException e) {
            become = "was deleted, or moved away";
        } catch (IOException e) {
            log.debug("Whether {} was replaced cannot be seen: {}", path, e.toString());
            return;
        }
        throw new IncompatibleStoreException(
                "%s %s while this process had it open: nothing more is written; stop all processes that use it before a file is put in its place, and start them again"
                        .formatted(path, become));
    }

    /** Whether a commit outlasts a power loss. */
    public boolean isDurable() {
        return durability == Durability.FULL;
    }

    /** What matters of what is set for each connection that writes, for people. */
    public String settings() {
        return "synchronous %s, busy_timeout %d ms, foreign_keys ON".formatted(durability, timeoutMillis);
    }

    /**
     * A connection with its settings.
     *
     * @param examined the file, if it is only looked at: see {@link #openExaminer}
     * @param before the file's attributes from before it was opened as an unchanging one; null if it was opened otherwise
     */
    public record Opened(
            SQLiteConnection connection,
            @Nullable SqliteFile examined,
            @Nullable Look before) implements AutoCloseable {
        public boolean isUnchanging() {
            return before != null;
        }

        /** True if the file was opened as an unchanging one, and is not what it was. */
        boolean hasChanged() {
            try {
                return before != null && examined != null && !before.equals(examined.look());
            } catch (IOException e) {
                log.debug("The file cannot be looked at: {}", e.toString());
                return true;
            }
        }

        /** Refuses what was read if the file has changed: SQLite may have read a part of what was and a part of what is. */
        public void requireUnchanged() {
            if (hasChanged()) {
                throw new StoreUnavailableException(
                        "reading %s failed: another process writes the file, which this user may not; repeat it, or do it as a user who may write the file and its folder"
                                .formatted(Objects.requireNonNull(examined).path));
            }
        }

        public void execute(String sql) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        public String query(String sql) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                return rows.next() ? String.valueOf(rows.getString(1)) : "";
            }
        }

        /** Writes the log back as far as nobody reads what was before; never waits. Answers how many of its pages are left. */
        public int writeLogBack() throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("PRAGMA wal_checkpoint(PASSIVE)")) {
                return row.next() ? row.getInt(2) - row.getInt(3) : 0;
            }
        }

        /** Writes the log back and cuts it, if no reader or writer is in the way: never waits. True if it is cut. */
        public boolean truncateLog() throws SQLException {
            String timeout = query("PRAGMA busy_timeout");
            execute("PRAGMA busy_timeout = 0");
            try {
                return query("PRAGMA wal_checkpoint(TRUNCATE)").equals("0");
            } catch (SQLException e) {
                if (!SqliteErrors.isBusy(e)) {
                    throw e;
                }
                return false;
            } finally {
                execute("PRAGMA busy_timeout = " + timeout);
            }
        }

        /** Ends the statement that runs now, if one does. From another thread than the one that uses the connection. */
        public void interrupt() {
            try {
                connection.getDatabase().interrupt();
            } catch (SQLException e) {
                log.debug("A statement could not be interrupted: {}", e.getMessage());
            }
        }

        /**
         * Closes the connection. The last one to close writes the log back into the file and removes it, unless it may only read: where the file was
         * only looked at, such a one is the last.
         */
        @Override
        public void close() throws SQLException {
            Opened guard = examined == null || isUnchanging() ? null : examined.openGuardOfLog();
            try {
                connection.close();
            } finally {
                if (guard != null) {
                    guard.close();
                }
            }
        }
    }

    /** Opens the file for writing, creating it when it does not exist. */
    public Opened openWriter() {
        try {
            Opened opened = connect(false);
            try {
                prepare(opened);
                return opened;
            } catch (SQLException e) {
                opened.close();
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "opening " + path);
        }
    }

    /** The path without links, by which all processes name the same file. */
    public Path realPath() {
        try {
            if (Files.exists(path)) {
                return path.toRealPath();
            }
            Path folder = Objects.requireNonNull(path.getParent());
            return folder.toRealPath().resolve(path.getFileName());
        } catch (IOException e) {
            throw new StoreUnavailableException("opening %s failed: %s".formatted(path, e), e);
        }
    }

    /** Refuses a place where no database can be, before anything is written there; answers its path without links. */
    public Path checkPlace() {
        if (Files.isDirectory(path)) {
            throw isFolder("opening " + path);
        }
        Path folder = path.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new StoreUnavailableException(
                    "opening %s failed: its folder does not exist; create it first".formatted(path));
        }
        if (!Files.isWritable(folder) || (Files.exists(path) && !Files.isWritable(path))) {
            throw new StoreUnavailableException(
                    "opening %s failed: the file and its folder must be writable (SQLite keeps its log beside the file)"
                            .formatted(path));
        }
        Path real = realPath();
        FileSystems.check(real, Objects.requireNonNull(real.getParent()));
        return real;
    }

    private static IncompatibleStoreException isFolder(String what) {
        return new IncompatibleStoreException(what + " failed: it is a folder, not a file; name the file");
    }

    /** The mode in which this user may read the file. */
    private enum Access {
        /** The file and its folder may be written: SQLite makes what it needs beside it. */
        WRITABLE,
        /** The log and its index are there, made by a process that may write. */
        WITH_LOG,
        /** Without a log, and without a look for others: all that was committed is in the file, for as long as it stays as it is. */
        UNCHANGING
    }

    /**
     * Refuses a file that SQLite could not read here, before it is opened for reading alone. To read one that others may write it makes files beside it, in whose
     * way the permissions may be; and those that are made by a user who may not write the file itself would keep everybody else from writing it.
     *
     * @param what is to be done, for messages
     */
    public void checkReadable(String what) {
        Access unused = access(what);
    }

    /** True if this user may write the file, and the log beside it. */
    public boolean isWritable() {
        return Files.isWritable(path) && Files.isWritable(Objects.requireNonNull(path.getParent()));
    }

    private Access access(String what) {
        if (Files.isDirectory(path)) {
            throw isFolder(what);
        }
        if (!Files.isReadable(path)) {
            throw new StoreUnavailableException(
                    what + " failed: this user may not read the file; do it as a user who may");
        }
        if (isWritable()) {
            return Access.WRITABLE;
        }
        if (Files.isReadable(beside("-wal")) && Files.isReadable(beside("-shm"))) {
            return Access.WITH_LOG;
        }
        if (logSize() > 0) {
            throw new StoreUnavailableException(
                    "%s failed: %s holds what is not in the file yet, and SQLite reads it only where it may write beside it; this user may not write %s; do it as a user who may, or on copies of both files in another folder"
                            .formatted(
                                    what,
                                    beside("-wal").getFileName(),
                                    Files.isWritable(Objects.requireNonNull(path.getParent()))
                                            ? "the file itself"
                                            : "its folder"));
        }
        return Access.UNCHANGING;
    }

    private long logSize() {
        try {
            return Files.size(beside("-wal"));
        } catch (IOException e) {
            return 0;
        }
    }

    /** The attributes of an unchanging file, and the length of its log. */
    private record Look(@Nullable Object key, long size, FileTime modified, long log) {}

    private Look look() throws IOException {
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
        return new Look(now.fileKey(), now.size(), now.lastModifiedTime(), logSize());
    }

    private Path beside(String suffix) {
        return path.resolveSibling(path.getFileName() + suffix);
    }

    private void prepare(Opened opened) throws SQLException {
        if (opened.query("PRAGMA page_count").equals("0")) {
            // Only possible before the first page is written.
            opened.execute("PRAGMA auto_vacuum = INCREMENTAL");
        }
        switchToLog(opened);
        opened.execute("PRAGMA synchronous = " + durability);
        opened.execute("PRAGMA foreign_keys = ON");
        opened.execute("PRAGMA temp_store = MEMORY");
        // KiB when negative: 64 MiB, enough for the hot pages of millions of jobs.
        opened.execute("PRAGMA cache_size = -65536");
        // Pages: the log is written back by the writer itself at 16 MiB.
        opened.execute("PRAGMA wal_autocheckpoint = 4000");
        opened.execute("PRAGMA journal_size_limit = 67108864");
        require(opened, "PRAGMA foreign_keys", "1");
        require(opened, "PRAGMA journal_mode", "wal");
    }

    /** Another process may be switching at the same moment; SQLite does not wait for that by itself. */
    private void switchToLog(Opened opened) throws SQLException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        while (true) {
            try {
                if (opened.query("PRAGMA journal_mode = WAL").equalsIgnoreCase("wal")) {
                    return;
                }
                throw new SQLException("the file system does not support SQLite's write-ahead log");
            } catch (SQLException e) {
                if (!SqliteErrors.isBusy(e) || System.nanoTime() - deadline > 0) {
                    throw e;
                }
                log.debug("Another process is opening {}; trying again", path);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        }
    }

    private static void require(Opened opened, String pragma, String value) throws SQLException {
        String actual = opened.query(pragma);
        if (!actual.equalsIgnoreCase(value)) {
            throw new SQLException(pragma + " is " + actual + ", must be " + value);
        }
    }

    /**
     * Opens the file for one transaction of a caller's, which begins with BEGIN IMMEDIATE when autocommit ends. Its schema is
     * read already: that takes longer than the rest, and needs no lock.
     */
    public Opened openManaged() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.resetOpenMode(SQLiteOpenMode.CREATE);
        config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
        Opened opened = connect(config, "");
        try {
            opened.execute("PRAGMA synchronous = " + durability);
            opened.execute("PRAGMA foreign_keys = ON");
            opened.execute("PRAGMA temp_store = MEMORY");
            opened.execute("PRAGMA wal_autocheckpoint = 4000");
            opened.execute("PRAGMA journal_size_limit = 67108864");
            opened.query(SchemaSql.MIN_COMPATIBLE);
            return opened;
        } catch (SQLException e) {
            opened.close();
            throw e;
        }
    }

    /** Opens the file for reading only. */
    public Opened openReader() throws SQLException {
        Opened opened = connect(true);
        try {
            opened.execute("PRAGMA foreign_keys = ON");
            opened.execute("PRAGMA query_only = ON");
            opened.execute("PRAGMA temp_store = MEMORY");
            opened.execute("PRAGMA cache_size = -16384");
            return opened;
        } catch (SQLException e) {
            opened.close();
            throw e;
        }
    }

    /**
     * Opens the file to be looked at: for writing, because SQLite compares rows with their CHECK constraints only where it
     * could write, but with all writing refused; and where this user may not write it, as an unchanging file. Nothing is read yet, so that a file that is
     * no database can be opened too; one that is not there is not made. The log stays as it is.
     */
    public Opened openExaminer() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.resetOpenMode(SQLiteOpenMode.CREATE);
        Look before;
        try {
            before = access("reading " + path) == Access.UNCHANGING ? look() : null;
        } catch (IOException e) {
            throw new StoreUnavailableException("reading %s failed: %s".formatted(path, e), e);
        }
        Opened opened =
                new Opened(connect(config, before == null ? "" : "?immutable=1").connection(), this, before);
        try {
            opened.execute("PRAGMA query_only = ON");
            opened.execute("PRAGMA temp_store = MEMORY");
            return opened;
        } catch (SQLException e) {
            opened.close();
            throw e;
        }
    }

    /** A connection that may only read, and so keeps the log as it is; null when the log is empty. */
    private @Nullable Opened openGuardOfLog() {
        if (logSize() == 0) {
            return null;
        }
        Opened guard = null;
        try {
            guard = connect(true);
            guard.query(SchemaSql.DATA_VERSION);
        } catch (SQLException e) {
            log.debug("The log of {} is not kept: {}", path, e.getMessage());
        }
        return guard;
    }

    private Opened connect(boolean readOnly) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(readOnly);
        return connect(config, "");
    }

    private Opened connect(SQLiteConfig config, String settings) throws SQLException {
        config.setBusyTimeout(Math.toIntExact(timeoutMillis));
        // As a URI, because the driver would read what follows a question mark in a path as settings.
        Connection connection = config.createConnection("jdbc:sqlite:" + path.toUri() + settings);
        return new Opened((SQLiteConnection) connection, null, null);
    }
}
