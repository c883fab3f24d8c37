package dev.windrow.sqlite.transfer;

import dev.windrow.InvalidRequestException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.connection.LibraryGuard;
import dev.windrow.sqlite.connection.SqliteErrors;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.schema.Migrations;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.connection.InUse;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Copies a file that is in use, on a thread and a connection of its own. SQLite reads one snapshot of the database, and all writers continue. It
 * builds the copy from the rows, without the free pages of the file.
 *
 * <p>The copy is written under another name in the same folder. It gets its own name when all of it is on disk. So a file with that name is a
 * complete copy.
 */
public final class Backups {
    /** Writes all tables and indexes to a new file, from one snapshot. */
    private static final String VACUUM_INTO = "VACUUM INTO ?1";

    private static final String INTERRUPTED = " was interrupted; nothing is left of it";

    private static final long PATIENCE_MILLIS = 5000;
    private static final long STEP_MILLIS = 50;

    private static final Logger log = SafeLogger.of(Backups.class);

    private final SqliteFile file;

    public Backups(SqliteFile file) {
        this.file = file;
    }

    /** Makes a backup. Returns the length of the copy. */
    public long backup(Path copy) {
        Path target = copy.toAbsolutePath();
        String what = "the backup of %s to %s".formatted(file.path(), target);
        check(target, what);
        Run run = new Run(target, what);
        return run.await();
    }

    private void check(Path target, String what) {
        if (!Files.exists(file.path())) {
            throw new StoreUnavailableException(what + " failed: the database does not exist");
        }
        file.checkReadable(what);
        Path folder = target.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new StoreUnavailableException(
                    what + " failed: the folder %s does not exist; create it first".formatted(folder));
        }
        // SQLite would take an existing log with this name for the copy's own, and write it into the copy.
        for (String ending : new String[] {"", "-wal", "-journal"}) {
            Path taken = target.resolveSibling(target.getFileName() + ending);
            if (Files.exists(taken, LinkOption.NOFOLLOW_LINKS)) {
                throw new InvalidRequestException(
                        what + " failed: %s exists, and is not overwritten; name another file".formatted(taken));
            }
        }
    }

    /** One backup, on a thread of its own: SQLite's native code would pin the carrier of a virtual thread. */
    private final class Run {
        private final Path target;
        private final String what;
        private final FutureTask<Long> task;
        private final Thread thread;
        private volatile boolean ended;
        private final InUse<SqliteFile.Opened> used = new InUse<>(SqliteFile.Opened::interrupt);

        Run(Path target, String what) {
            this.target = target;
            this.what = what;
            this.task = new FutureTask<>(this::write);
            this.thread = new Thread(task, "windrow-backup-" + file.path().getFileName());
            thread.setDaemon(true);
        }

        long await() {
            if (Thread.currentThread().isInterrupted()) {
                throw new StoreUnavailableException(what + INTERRUPTED);
            }
            thread.start();
            try {
                return task.get();
            } catch (InterruptedException e) {
                end();
                Thread.currentThread().interrupt();
                Long bytes = written();
                if (bytes != null) {
                    // The backup was complete when it was stopped.
                    return bytes;
                }
                throw new StoreUnavailableException(what + INTERRUPTED, e);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof WindrowException cause) {
                    throw cause;
                }
                throw new WindrowException(what + " failed: " + e.getCause(), e.getCause());
            }
        }

        /** Returns the length of the copy, or null if it is not complete. */
        private @Nullable Long written() {
            try {
                return thread.isAlive() ? null : task.get(0, TimeUnit.NANOSECONDS);
            } catch (ExecutionException | TimeoutException e) {
                return null;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
        }

        /** Stops the backup and waits until nothing is left of it. */
        void end() {
            ended = true;
            boolean interrupted = false;
            for (long waited = 0; waited < PATIENCE_MILLIS && thread.isAlive(); waited += STEP_MILLIS) {
                // Repeated, because the statement may not have begun at the first stop.
                used.stop();
                try {
                    thread.join(STEP_MILLIS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (thread.isAlive()) {
                log.warn(
                        "A backup did not stop within {} ms; its thread continues, and may leave a .part file to delete",
                        PATIENCE_MILLIS);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private long write() {
            LibraryGuard.check(file.realPath());
            Path part = target.resolveSibling(target.getFileName() + "." + UUID.randomUUID() + ".part");
            try (SqliteFile.Opened opened = file.openExaminer()) {
                copy(opened, part);
                opened.requireUnchanged();
                return publish(part, target);
            } catch (FileAlreadyExistsException e) {
                throw new InvalidRequestException(
                        what + " failed: %s exists by now, and is not overwritten; name another file".formatted(target),
                        e);
            } catch (SQLException e) {
                goOn();
                throw SqliteErrors.translate(e, what);
            } catch (IOException e) {
                throw new StoreUnavailableException("%s failed: %s; nothing is left of it".formatted(what, e), e);
            } finally {
                remove(part);
            }
        }

        private void copy(SqliteFile.Opened opened, Path part) throws SQLException, IOException {
            if (!used.begin(opened)) {
                throw new StoreUnavailableException(what + INTERRUPTED);
            }
            try {
                if (Migrations.version(opened, file.location()) == 0) {
                    throw new StoreUnavailableException(what + " failed: no queue exists in the file");
                }
                // The opening has set query_only, which also prevents SQLite from writing a copy. No other statement
                // runs here.
                opened.execute("PRAGMA query_only = OFF");
                create(part);
                goOn();
                try (PreparedStatement statement = opened.connection().prepareStatement(VACUUM_INTO)) {
                    statement.setString(1, part.toString());
                    statement.execute();
                }
            } catch (SQLException e) {
                opened.requireUnchanged();
                throw e;
            } finally {
                used.end();
            }
            goOn();
            // SQLite writes the copy without a log. A store has a log, and its diagnosis checks that.
            new SqliteFile(part, Durability.FULL, PATIENCE_MILLIS).openWriter().close();
        }

        /**
         * Creates the file with the permissions of the database, because both contain payloads and results. The owner may write it even if the
         * database is read-only.
         */
        private void create(Path part) throws IOException {
            try {
                Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file.path());
                permissions.add(PosixFilePermission.OWNER_WRITE);
                FileAttribute<Set<PosixFilePermission>> same = PosixFilePermissions.asFileAttribute(permissions);
                Files.createFile(part, same);
            } catch (UnsupportedOperationException e) {
                Files.createFile(part);
            }
        }

        /** Forces the copy to disk, and then gives it its name. Throws if the name was taken since the check. */
        private static long publish(Path part, Path target) throws IOException {
            // SQLite has closed this file, and no other process knows its name. So this is the only database file that
            // Java may open.
            try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            long bytes = Files.size(part);
            try {
                Files.createLink(target, part);
            } catch (FileAlreadyExistsException e) {
                throw e;
            } catch (UnsupportedOperationException | FileSystemException e) {
                // No hard links exist here. The move first checks that the name is free, and then renames.
                Files.move(part, target);
            }
            forceFolder(Objects.requireNonNull(target.getParent()));
            return bytes;
        }

        private static void forceFolder(Path folder) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            } catch (IOException e) {
                // Some systems cannot open folders. There the name is as durable as the system makes it.
                log.debug("The folder {} is not forced to disk: {}", folder, e.toString());
            }
        }

        private static void remove(Path part) {
            try {
                Files.deleteIfExists(part);
                for (String ending : new String[] {"-journal", "-wal", "-shm"}) {
                    Files.deleteIfExists(part.resolveSibling(part.getFileName() + ending));
                }
            } catch (IOException e) {
                log.warn("The unfinished backup {} could not be deleted; delete it by hand: {}", part, e.toString());
            }
        }

        private void goOn() {
            if (ended) {
                throw new StoreUnavailableException(what + INTERRUPTED);
            }
        }
    }
}
