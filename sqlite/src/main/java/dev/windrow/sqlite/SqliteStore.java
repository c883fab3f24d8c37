package dev.windrow.sqlite;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.Durations;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.InvalidRequestException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.sqlite.connection.SqliteFile;
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
import dev.windrow.store.sql.monitor.Diagnoses;
import dev.windrow.store.transfer.CopyPlace;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Jobs in one SQLite file. All writes of this process go through one thread that shares its commits between callers;
 * reads use connections of their own. Other processes may use the same file at the same time.
 *
 * <p>Never open, read, copy or lock the file, or the {@code -wal} and {@code -shm} files beside it, with Java's file
 * classes while a store is open in the process: closing such a descriptor drops SQLite's locks.
 */
@SuppressWarnings("exports") // what the engine alone sees is protected, and its types are not exported
public final class SqliteStore extends StoreProvider {
    private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(10);

    private final Path path;
    private final Durability durability;
    final Duration operationTimeout;
    final Writer.Probe probe;
    final Duration safetyLook;
    private final boolean readOnly;

    private SqliteStore(Builder builder) {
        this.probe = builder.probe;
        this.safetyLook = builder.safetyLook;
        this.readOnly = builder.readOnly;
        this.operationTimeout = builder.operationTimeout;
        this.durability = builder.durability;
        this.path = builder.path.toAbsolutePath();
    }

    /**
     * A store in this file, created when the store is opened and the file does not exist; its folder must exist. Power
     * loss after a commit loses nothing ({@link Durability#FULL}).
     */
    @CheckReturnValue
    public static SqliteStore at(Path file) {
        return configure(file).build();
    }

    /**
     * True if there is a store in this file, of any version: not if the file does not exist, is empty, or is a database with
     * other tables only. Writes nothing, while {@link #open} makes what is missing.
     *
     * @throws IncompatibleStoreException if the file is no database, or stands where none can be
     * @throws StoreUnavailableException if the file cannot be read
     */
    public static boolean existsIn(Path file) {
        return Migrations.areIn(new SqliteFile(file, Durability.FULL, OPERATION_TIMEOUT.toMillis()));
    }

    /**
     * A store in this file with settings.
     *
     * @throws InvalidRequestException if the name is {@code :memory:}: jobs are kept in a file
     */
    @CheckReturnValue
    public static Builder configure(Path file) {
        if (file.endsWith(":memory:")) {
            throw new InvalidRequestException(
                    ":memory: is not possible: jobs must outlast their process and be seen by others; name a file");
        }
        return new Builder(file);
    }

    /** Settings of a store. */
    public static final class Builder {
        private final Path path;
        private Durability durability = Durability.FULL;
        private Duration operationTimeout = OPERATION_TIMEOUT;
        private Writer.Probe probe = Writer.Probe.NONE;
        private Duration safetyLook = PeerWatch.SAFETY;
        private boolean readOnly;

        private Builder(Path path) {
            this.path = path;
        }

        /** The failures that a commit survives; {@link Durability#FULL} by default. */
        public Builder durability(Durability durability) {
            this.durability = durability;
            return this;
        }

        /** The time for which a write may wait for the file before it fails, 100 ms to 5 minutes; 10 s by default. */
        public Builder operationTimeout(Duration timeout) {
            if (timeout.toMillis() < 100 || timeout.toMinutes() > 5) {
                throw new InvalidRequestException(
                        "operation timeout %s is not allowed: 100ms to 5m".formatted(Durations.text(timeout)));
            }
            this.operationTimeout = timeout;
            return this;
        }

        /**
         * Reads and never writes: the file is neither made nor migrated, and all that would change something is refused. So a file can be
         * read that this user may not write, as long as no other process writes it; or one of which the log and its index ({@code -wal} and {@code
         * -shm}) are beside it.
         */
        public Builder readOnly() {
            this.readOnly = true;
            return this;
        }

        /** For tests. */
        Builder probe(Writer.Probe probe) {
            this.probe = probe;
            return this;
        }

        /** For tests: after how long the store looks, without a hint, at what other processes have done. */
        Builder safetyLook(Duration interval) {
            this.safetyLook = interval;
            return this;
        }

        /** The store, not yet opened. */
        public SqliteStore build() {
            return new SqliteStore(this);
        }
    }

    @Override
    public String location() {
        return path.toString();
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

    /** The file, which remembers what it is from the first look on. */
    SqliteFile file() {
        return new SqliteFile(path, durability, operationTimeout.toMillis());
    }

    private void requireWritable() {
        if (readOnly) {
            throw new StoreUnavailableException(
                    "the store %s is for reading only: nothing can be changed in it".formatted(path));
        }
    }

    /**
     * Copies the database to a new file while everybody goes on, in this process and others: all that was committed before this was called,
     * in one consistent state. Blocks until the copy is on disk, however long that takes; only then there is a file of that name. An
     * interrupt of the caller ends it, and leaves nothing.
     * What {@linkplain dev.windrow.payload.BlobFiles files} hold is not in the database, and not in the copy.
     *
     * @param copy a file that does not exist, in a folder that does
     * @return the length of the copy in bytes
     * @throws InvalidRequestException if the file exists, or one that SQLite would take for its log
     * @throws StoreUnavailableException if there is no such folder, no database, no room
     */
    public long backup(Path copy) {
        return new Backups(file()).backup(copy);
    }

    @Override
    protected CopyPlace copyPlace() {
        return new Moves(file(), this::requireWritable);
    }
}
