package dev.windrow.sqlite;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.Durations;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.InvalidRequestException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.sqlite.connection.SqliteErrors;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.connection.Tables;
import dev.windrow.sqlite.monitor.ExaminedFile;
import dev.windrow.sqlite.processes.PeerWatch;
import dev.windrow.sqlite.schema.Migrations;
import dev.windrow.sqlite.transfer.Backups;
import dev.windrow.sqlite.transfer.Moves;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.sql.connection.TablePrefix;
import dev.windrow.store.sql.monitor.Diagnoses;
import dev.windrow.store.transfer.CopyPlace;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The description of a store in one SQLite file. When it is open, one writer thread of the process writes and shares its commits between callers. A
 * caller that comes alone writes on its own thread. Reads use connections of their own. Several processes may use the same file at once. Immutable,
 * safe for use by many threads.
 *
 * <p>While a store is open in the process, do not open, read, copy or lock its file with Java's file classes. The same holds for the {@code -wal} and
 * {@code -shm} files beside it. Closing such a descriptor drops SQLite's locks.
 */
@SuppressWarnings("exports") // the members for the engine are protected, and their types are not exported
public final class SqliteStore extends StoreProvider {
    private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(10);

    private final Path path;
    private final Durability durability;
    final Duration operationTimeout;
    final Writer.Probe probe;
    final Duration safetyLook;
    private final boolean readOnly;
    private final Tables tables;
    private final boolean overwriting;

    private SqliteStore(Builder builder) {
        this.probe = builder.probe;
        this.safetyLook = builder.safetyLook;
        this.readOnly = builder.readOnly;
        this.operationTimeout = builder.operationTimeout;
        this.durability = builder.durability;
        this.path = builder.path.toAbsolutePath();
        this.tables = new Tables(builder.prefix);
        this.overwriting = builder.overwriting;
    }

    /**
     * Returns a store in this file, with the defaults of {@link Builder}. Opening it creates a file that does not exist. Its folder must exist. A
     * power loss after a commit loses nothing ({@link Durability#FULL}).
     *
     * @throws InvalidRequestException if the name is {@code :memory:}, because jobs are kept in a file
     */
    @CheckReturnValue
    public static SqliteStore at(Path file) {
        return configure(file).build();
    }

    /**
     * Returns a builder for a store in this file.
     *
     * @throws InvalidRequestException if the name is {@code :memory:}, because jobs are kept in a file
     */
    @CheckReturnValue
    public static Builder configure(Path file) {
        if (file.endsWith(":memory:")) {
            throw new InvalidRequestException(
                    ":memory: is not allowed: jobs must outlast their process, and other processes must see them. Name a file");
        }
        return new Builder(file);
    }

    /** The settings of a store. Not safe for use by many threads. */
    public static final class Builder {
        private final Path path;
        private Durability durability = Durability.FULL;
        private Duration operationTimeout = OPERATION_TIMEOUT;
        private Writer.Probe probe = Writer.Probe.NONE;
        private Duration safetyLook = PeerWatch.SAFETY;
        private boolean readOnly;
        private String prefix = TablePrefix.DEFAULT;
        private boolean overwriting;

        private Builder(Path path) {
            this.path = path;
        }

        /** Sets the failures that a commit survives; default {@link Durability#FULL}. */
        public Builder durability(Durability durability) {
            this.durability = durability;
            return this;
        }

        /**
         * Sets the prefix of the names of all tables: 1 to 30 of {@code a-z 0-9 _}, not beginning with a digit or {@code sqlite_}; default {@code
         * windrow_}. Queues with different prefixes in one file are separate. They share its write lock, so that one of them writes at a time.
         */
        public Builder tablePrefix(String prefix) {
            this.prefix = prefix;
            return this;
        }

        /**
         * Sets the time for which a write may wait for the file before it fails: 100 ms to 5 minutes, default 10 s. If the disk hangs, a single caller
         * may wait longer: the one that comes alone and writes on its own thread.
         *
         * @throws InvalidRequestException if the time is out of range
         */
        public Builder operationTimeout(Duration timeout) {
            if (timeout.toMillis() < 100 || timeout.toMinutes() > 5) {
                throw new InvalidRequestException(
                        "operation timeout %s is not allowed: 100ms to 5m".formatted(Durations.text(timeout)));
            }
            this.operationTimeout = timeout;
            return this;
        }

        /**
         * Makes the store read-only: the file is neither created nor migrated, and every change is refused. So a process can read a file that its
         * user may not write. That works while no other process writes the file, or if its log and the index of the log ({@code -wal} and
         * {@code -shm}) are beside it.
         */
        public Builder readOnly() {
            this.readOnly = true;
            return this;
        }

        /**
         * Overwrites content that this process deletes with zeros ({@code PRAGMA secure_delete}); default off. The log beside the file keeps the
         * content until {@link SqliteStore#emptyLog}. Copies from before, such as backups and the spare blocks of an SSD, are not overwritten.
         */
        public Builder secureDelete() {
            this.overwriting = true;
            return this;
        }

        /** For tests. */
        Builder probe(Writer.Probe probe) {
            this.probe = probe;
            return this;
        }

        /** For tests: the interval at which the store looks for commits of other processes without a hint. */
        Builder safetyLook(Duration interval) {
            this.safetyLook = interval;
            return this;
        }

        /**
         * Returns the store, not opened yet.
         *
         * @throws InvalidRequestException if the prefix is not allowed
         */
        public SqliteStore build() {
            return new SqliteStore(this);
        }
    }

    @Override
    public String location() {
        return path + tables.suffix();
    }

    /**
     * True if there is a store in these tables, of any version. False if the file does not exist, is empty, or is a database with other tables only.
     * Writes nothing, while opening a store creates it.
     *
     * @throws IncompatibleStoreException if the file is no database, or no database can be at this path
     * @throws StoreUnavailableException if the file cannot be read
     */
    public boolean exists() {
        return Migrations.areIn(file());
    }

    @Override
    protected OpenStore open(StoreEnvironment environment) {
        return readOnly
                ? SqliteOpenStore.reading(this, environment.time())
                : SqliteOpenStore.writing(this, environment);
    }

    @Override
    protected Diagnosis diagnose(DiagnoseRequest request) {
        try (Diagnoses diagnoses = ExaminedFile.diagnoses(file(), operationTimeout)) {
            return diagnoses.diagnose(request);
        }
    }

    /** Returns the file. It remembers its identity from the first read on. */
    SqliteFile file() {
        return new SqliteFile(path, durability, operationTimeout.toMillis(), tables, overwriting);
    }

    private void requireWritable() {
        if (readOnly) {
            throw new StoreUnavailableException(
                    "the store %s is read-only: open it without readOnly() to change it".formatted(location()));
        }
    }

    /**
     * Copies the database, with all its queues, to a new file while this and other processes continue. The copy is one consistent snapshot of everything that was committed
     * before the call. The call returns when the copy is on disk, and has no time limit. The file has its name only then. An interrupt of the caller
     * ends the call, and no file remains. The copy does not contain {@linkplain dev.windrow.payload.BlobFiles files} outside of the database.
     *
     * @param copy a file that does not exist, in a folder that does
     * @return the length of the copy in bytes
     * @throws InvalidRequestException if the file exists, or a file that SQLite would take for its log exists
     * @throws StoreUnavailableException if there is no such folder, no database, or not enough space
     */
    public long backup(Path copy) {
        return new Backups(file()).backup(copy);
    }

    /**
     * Writes the log beside the file back into the file and truncates it, so that it keeps no content that was deleted. Waits for the readers and
     * writers of all processes, at most for the operation timeout.
     *
     * @return true if the log is empty. False if another process or thread still reads from it: repeat the call later
     * @throws StoreUnavailableException if there is no store, or the file cannot be written
     */
    public boolean emptyLog() {
        requireWritable();
        SqliteFile file = file();
        if (!exists()) {
            throw new StoreUnavailableException("truncating the log of %s failed: it has no queue".formatted(path));
        }
        try (SqliteFile.Opened database = file.openWriter()) {
            return database.emptyLog();
        } catch (SQLException e) {
            throw SqliteErrors.translate(e, "truncating the log of " + file.path());
        }
    }

    @Override
    protected CopyPlace copyPlace() {
        return new Moves(file(), this::requireWritable);
    }
}
