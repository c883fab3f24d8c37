package dev.windrow.sqlite.connection;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.job.JobSql;
import dev.windrow.sqlite.schema.SchemaSql;
import dev.windrow.store.SafeLogger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.PreparedStatement;
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
 * Opens connections to one database file, with the settings that all other code relies on.
 *
 * <p>Windrow never opens the file, its log and its shared memory with Java's file classes. On POSIX, closing any descriptor of a file drops all locks
 * that the process holds on it, including SQLite's. Only attributes are read.
 */
public final class SqliteFile {
    private static final Logger log = SafeLogger.of(SqliteFile.class);

    private final Path path;
    private final Durability durability;
    private final long timeoutMillis;
    private final Tables tables;
    private final boolean overwriting;
    /** The key by which the operating system identifies the file; null if the system has none. */
    private volatile @Nullable Object key;

    /** Makes a file with the default tables. */
    public SqliteFile(Path path, Durability durability, long timeoutMillis) {
        this(path, durability, timeoutMillis, Tables.DEFAULT, false);
    }

    /**
     * Makes a file.
     *
     * @param overwriting true to overwrite deleted content with zeros
     */
    public SqliteFile(Path path, Durability durability, long timeoutMillis, Tables tables, boolean overwriting) {
        this.path = path.toAbsolutePath();
        this.durability = durability;
        this.timeoutMillis = timeoutMillis;
        this.tables = tables;
        this.overwriting = overwriting;
    }

    public Path path() {
        return path;
    }

    /** Returns the tables of the queue that is meant. */
    public Tables tables() {
        return tables;
    }

    /** Returns the place of the queue for messages: the path, and the prefix of the tables if it is not the default. */
    public String location() {
        return path + tables.suffix();
    }

    /** Returns a short name of the queue for threads. */
    public String name() {
        return path.getFileName() + tables.label();
    }

    /** Remembers the existing file as the one that this object uses from now on. */
    public void identify() {
        try {
            key = key();
        } catch (IOException e) {
            log.debug(
                    "A replacement of {} will not be noticed, because its attributes cannot be read: {}",
                    path,
                    e.toString());
        }
    }

    private @Nullable Object key() throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    /**
     * Throws if the file at the path is not the one that was identified. A process that has the old file open continues with it, and no other process
     * sees its changes. Also, its log could be taken for the log of the new file.
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
            log.debug("The attributes of {} cannot be read, so a replacement is not noticed: {}", path, e.toString());
            return;
        }
        throw new IncompatibleStoreException(
                "%s %s while this process had it open: nothing more is written; stop all processes that use the file, put the right file in its place, and start them again"
                        .formatted(path, become));
    }

    /** True if a commit survives a power loss. */
    public boolean isDurable() {
        return durability == Durability.FULL;
    }

    /** True if deleted content is overwritten. */
    public boolean isOverwriting() {
        return overwriting;
    }

    /** Returns the most important settings of each connection that writes, for messages. */
    public String settings() {
        return "synchronous %s, busy_timeout %d ms, foreign_keys ON".formatted(durability, timeoutMillis);
    }

    /**
     * A connection with its settings. Statements have the form of {@link JobSql}.
     *
     * @param tables the tables of the queue
     * @param examined the file, if it was opened by {@link #openExaminer}
     * @param before the file's attributes from before it was opened as an unchanging file; null if it was opened in another mode
     */
    public record Opened(
            SQLiteConnection connection,
            Tables tables,
            @Nullable SqliteFile examined,
            @Nullable Look before) implements AutoCloseable {
        public boolean isUnchanging() {
            return before != null;
        }

        /** True if the file was opened as an unchanging one, and has changed since. */
        boolean hasChanged() {
            try {
                return before != null && examined != null && !before.equals(examined.look());
            } catch (IOException e) {
                log.debug("The attributes of the file cannot be read: {}", e.toString());
                return true;
            }
        }

        /** Throws if the file has changed since it was opened: SQLite may have read a mixture of the old and the new content. */
        public void requireUnchanged() {
            if (hasChanged()) {
                throw new StoreUnavailableException(
                        "reading %s failed: another process changed the file during the read, and this user may not write it; repeat the read, or run it as a user who may write the file and its folder"
                                .formatted(Objects.requireNonNull(examined).path));
            }
        }

        /** Returns statements of the connection that are prepared once. They are closed with the connection at the latest. */
        public SqliteStatements statements() {
            return new SqliteStatements(connection, tables);
        }

        /** Prepares a statement for one use. */
        public PreparedStatement prepare(String sql) throws SQLException {
            return connection.prepareStatement(tables.translate(sql));
        }

        public void execute(String sql) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute(tables.translate(sql));
            }
        }

        public String query(String sql) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(tables.translate(sql))) {
                return rows.next() ? String.valueOf(rows.getString(1)) : "";
            }
        }

        /** Writes the log back, up to the oldest snapshot that a reader still uses. Never waits. Returns the number of its pages that are left. */
        public int writeLogBack() throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("PRAGMA wal_checkpoint(PASSIVE)")) {
                return row.next() ? row.getInt(2) - row.getInt(3) : 0;
            }
        }

        /** Sets how long a statement waits for a lock, in milliseconds. */
        public void busyTimeout(long millis) throws SQLException {
            connection.getDatabase().busy_timeout(Math.toIntExact(millis));
        }

        /**
         * Writes the log back, and makes the next commit begin at its start again, if no reader or writer blocks that. The log keeps its length:
         * commits that make a file longer wait longer for the disk. Never waits. True if it was possible.
         */
        public boolean resetLog() throws SQLException {
            return checkpoint("RESTART");
        }

        /** Writes the log back and truncates it, if no reader or writer blocks that. Never waits. True if the log was truncated. */
        public boolean truncateLog() throws SQLException {
            return checkpoint("TRUNCATE");
        }

        private boolean checkpoint(String mode) throws SQLException {
            String timeout = query("PRAGMA busy_timeout");
            execute("PRAGMA busy_timeout = 0");
            try {
                return query("PRAGMA wal_checkpoint(" + mode + ")").equals("0");
            } catch (SQLException e) {
                if (!SqliteErrors.isBusy(e)) {
                    throw e;
                }
                return false;
            } finally {
                execute("PRAGMA busy_timeout = " + timeout);
            }
        }

        /** Writes the log back and truncates it. Waits for readers and writers until the timeout of the file. True if the log was truncated. */
        public boolean emptyLog() throws SQLException {
            return query("PRAGMA wal_checkpoint(TRUNCATE)").equals("0");
        }

        /** Stops the statement that runs now, if one does. Called from another thread than the one that uses the connection. */
        public void interrupt() {
            try {
                connection.getDatabase().interrupt();
            } catch (SQLException e) {
                log.debug("A statement could not be interrupted: {}", e.getMessage());
            }
        }

        /**
         * Closes the connection. The last connection to close writes the log back into the file and deletes the log, unless it is read-only. For a
         * file that was only examined, a read-only connection closes last.
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

    /** Opens the file for writing, and creates it if it does not exist. */
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

    /** Returns the path without links, by which all processes name the same file. */
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

    /** Throws if no database can be at this path, before anything is written there. Returns the path without links. */
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
                    "opening %s failed: the file and its folder must be writable (SQLite keeps its log next to the file)"
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
        /** The user may write the file and its folder: SQLite creates the files that it needs beside it. */
        WRITABLE,
        /** The log and its index exist; a process that may write has created them. */
        WITH_LOG,
        /** Without a log, and without a check for other processes. All commits are in the file, for as long as the file does not change. */
        UNCHANGING
    }

    /**
     * Throws if SQLite could not read the file here, before it is opened for reading only. To read a file that other processes may write, SQLite
     * creates files beside it, and permissions may prevent that. Also, a user who may not write the database must not create these files: all other
     * users could then not write it.
     *
     * @param what the operation, for messages
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
                    what + " failed: this user may not read the file; run it as a user who may");
        }
        if (isWritable()) {
            return Access.WRITABLE;
        }
        if (Files.isReadable(beside("-wal")) && Files.isReadable(beside("-shm"))) {
            return Access.WITH_LOG;
        }
        if (logSize() > 0) {
            throw new StoreUnavailableException(
                    "%s failed: %s holds commits that are not in the file yet, and SQLite reads them only if it may write beside the file; this user may not write %s; run it as a user who may, or on copies of both files in another folder"
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
        opened.execute("PRAGMA secure_delete = " + (overwriting ? "ON" : "OFF"));
        opened.execute("PRAGMA temp_store = MEMORY");
        // KiB when negative: 64 MiB, enough for the hot pages of millions of jobs.
        opened.execute("PRAGMA cache_size = -65536");
        // In pages: the writer itself writes the log back at 16 MiB.
        opened.execute("PRAGMA wal_autocheckpoint = 4000");
        opened.execute("PRAGMA journal_size_limit = 67108864");
        require(opened, "PRAGMA foreign_keys", "1");
        require(opened, "PRAGMA journal_mode", "wal");
    }

    /**
     * Switches the file to the write-ahead log. Another process may do so at the same moment, and SQLite does not wait for it. So the switch is
     * retried until the timeout.
     */
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
     * Opens the file for one managed transaction of a caller, which begins with BEGIN IMMEDIATE when autocommit ends. The schema is read here: that
     * takes longer than the rest, and needs no lock.
     */
    public Opened openManaged() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.resetOpenMode(SQLiteOpenMode.CREATE);
        config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
        Opened opened = connect(config, "");
        try {
            opened.execute("PRAGMA synchronous = " + durability);
            opened.execute("PRAGMA foreign_keys = ON");
            opened.execute("PRAGMA secure_delete = " + (overwriting ? "ON" : "OFF"));
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
     * Opens the file to examine it. The connection could write, because SQLite checks rows against their CHECK constraints only then, but all writes
     * are refused. If this user may not write the file, it is opened as an unchanging file.
     *
     * <p>Nothing is read yet, so that a file that is not a database can be opened too. A file that does not exist is not created. The log does not
     * change.
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
                new Opened(connect(config, before == null ? "" : "?immutable=1").connection(), tables, this, before);
        try {
            opened.execute("PRAGMA query_only = ON");
            opened.execute("PRAGMA temp_store = MEMORY");
            return opened;
        } catch (SQLException e) {
            opened.close();
            throw e;
        }
    }

    /** Opens a connection that may only read, and so leaves the log unchanged. Null when the log is empty. */
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
        // As a URI, because the driver would parse the text after a question mark in a path as settings.
        Connection connection = config.createConnection("jdbc:sqlite:" + path.toUri() + settings);
        return new Opened((SQLiteConnection) connection, tables, null, null);
    }
}
