package dev.windrow.sqlite.processes;

import dev.windrow.StoreUnavailableException;
import dev.windrow.sqlite.connection.LibraryGuard;
import dev.windrow.sqlite.connection.LockHolder;
import dev.windrow.sqlite.connection.Permissions;
import dev.windrow.sqlite.connection.Tables;
import dev.windrow.sqlite.writer.IdFloor;
import dev.windrow.store.SafeLogger;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The files that the processes on one database file share beside it, in a folder. The locks of one file are the {@link FairFileLock} and show which
 * processes exist. The others are the notifier file, and the {@link IdFloor} of each queue. The last process to leave deletes the folder. After a
 * crash the next process uses it.
 *
 * <p>Each database file has one instance in a JVM, which the stores on it share, also of different queues, with one channel to the lock file. Closing any other descriptor of
 * that file would drop all locks that the process has on it.
 */
public final class PeerProcesses implements AutoCloseable {
    /** The suffix of the folder's name, after the name of the database. */
    public static final String SUFFIX = "-windrow";

    private static final String LOCK_FILE = "lock";
    private static final String NOTIFIER_FILE = "notifier";
    /** The end of the name of the file with the ids of a queue, after the prefix of its tables. */
    private static final String IDS_FILE = "ids";

    /** The first byte of the lock file that a process may lock to show that it exists. Each process holds one such place. */
    private static final long FIRST_PLACE = 64;

    private static final long END_OF_PLACES = FIRST_PLACE + 4096;
    /** The time to keep trying to open the files while other processes delete them. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** The time to keep trying after a denied access. The process that creates the files sets their permissions a moment later. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** The number of places that are tested one by one. */
    private static final int COUNTED = 16;
    /** The byte of SQLite's shared-memory file that a connection locks while it writes to the log. */
    public static final long SQLITE_WRITE_LOCK = 120;

    private static final String POOLED =
            " (a connection of a pool with autoCommit=false and transaction_mode=IMMEDIATE holds it while idle: set jdbc.explicit_readonly=true instead)";

    private static final Logger log = SafeLogger.of(PeerProcesses.class);

    private static final ReentrantLock all = new ReentrantLock();
    /** Guarded by all. */
    private static final Map<Path, PeerProcesses> byDatabase = new HashMap<>();

    private final Path database;
    private final Path folder;
    private final FileChannel locks;
    /** The key that distinguishes the lock file from later files at its path; null if the file system has none. */
    private final @Nullable Object key;

    private final FileChannel notifier;
    private final FileLock place;
    private final FairFileLock fileLock;
    /**
     * The number of the last notification. It begins at a value that no other process uses, because each notification must differ from the one
     * before, also from one of another process.
     */
    private final AtomicLong notifications =
            new AtomicLong((ProcessHandle.current().pid() << 40) ^ System.nanoTime());

    /** The caller's thread that has the write lock in a managed transaction of this process. */
    private final AtomicReference<@Nullable Thread> borrower = new AtomicReference<>();

    private final ReentrantLock looking = new ReentrantLock();
    private volatile int others;
    /** Guarded by all. */
    private int stores;

    /** The files and locks that are opened together. */
    private record Opened(FileChannel locks, @Nullable Object key, FileLock place, FileChannel notifier) {}

    private PeerProcesses(Path database, Path folder, Opened opened) {
        this.database = database;
        this.folder = folder;
        this.locks = opened.locks;
        this.key = opened.key;
        this.place = opened.place;
        this.notifier = opened.notifier;
        this.fileLock = new FairFileLock(locks);
    }

    /** Joins the processes on this database. The path has no links in it. */
    public static PeerProcesses join(Path database) {
        all.lock();
        try {
            PeerProcesses peers = byDatabase.get(database);
            if (peers == null) {
                LibraryGuard.enter(database);
                Path folder = database.resolveSibling(database.getFileName() + SUFFIX);
                try {
                    peers = new PeerProcesses(database, folder, open(database, folder));
                } catch (IOException | RuntimeException e) {
                    LibraryGuard.leave(database);
                    throw unusable(database, folder, e);
                }
                byDatabase.put(database, peers);
            }
            peers.stores++;
            // A process that was alone until now learns that it no longer is.
            peers.ring();
            peers.look();
            return peers;
        } finally {
            all.unlock();
        }
    }

    private static StoreUnavailableException unusable(Path database, Path folder, Exception e) {
        return new StoreUnavailableException(
                "opening %s failed: the lock files in %s cannot be used: %s; give each user that may write the database permission to write them, or delete them while no process has the database open"
                        .formatted(database, folder, e),
                e);
    }

    private static Opened open(Path database, Path folder) throws IOException {
        Path file = folder.resolve(LOCK_FILE);
        Path notifierFile = folder.resolve(NOTIFIER_FILE);
        long begin = System.nanoTime();
        while (true) {
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                throw new IOException("other processes create and delete the files all the time, or no place is free");
            }
            try {
                Permissions permissions = Permissions.of(database);
                create(folder, permissions::createFolder);
                create(file, permissions::createFile);
                Object key = key(file);
                FileChannel locks = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                boolean ours = false;
                try {
                    FileLock place = takePlace(locks);
                    // The last process to leave deletes the files, and does so while no other process can take a place
                    // in them.
                    if (place != null && Objects.equals(key, key(file))) {
                        create(notifierFile, permissions::createFile);
                        FileChannel notifier =
                                FileChannel.open(notifierFile, StandardOpenOption.READ, StandardOpenOption.WRITE);
                        ours = true;
                        return new Opened(locks, key, place, notifier);
                    }
                } finally {
                    if (!ours) {
                        locks.close();
                    }
                }
            } catch (NoSuchFileException e) {
                log.debug("Another process has just deleted {}; trying again", folder);
            } catch (AccessDeniedException e) {
                pauseAfter(e, begin);
            }
        }
    }

    /** Pauses before another try, or throws if the grace time since {@code begin} is over. */
    private static void pauseAfter(AccessDeniedException e, long begin) throws AccessDeniedException {
        if (System.nanoTime() - begin > GRACE_NANOS) {
            throw e;
        }
        LockSupport.parkNanos(GRACE_NANOS / 100);
    }

    private interface Creation {
        void create(Path path) throws IOException;
    }

    /** Creates a file or folder if it does not exist. An existing one may be deleted in the next moment. Then the next step fails. */
    private static void create(Path path, Creation creation) throws IOException {
        try {
            creation.create(path);
        } catch (FileAlreadyExistsException e) {
            log.trace("{} exists", path);
        }
    }

    private static @Nullable Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    private static @Nullable FileLock takePlace(FileChannel locks) throws IOException {
        for (long at = FIRST_PLACE; at < END_OF_PLACES; at++) {
            FileLock place = locks.tryLock(at, 1, false);
            if (place != null) {
                return place;
            }
        }
        return null;
    }

    public Path database() {
        return database;
    }

    public FairFileLock fileLock() {
        return fileLock;
    }

    /** Returns the floor of the ids of a queue. While this process is one of the processes on the database, no process deletes the file. */
    public IdFloor idFloor(Tables tables) {
        try {
            return idFloor(folder.resolve(tables.name(IDS_FILE)));
        } catch (IOException | RuntimeException e) {
            throw unusable(database, folder, e);
        }
    }

    private IdFloor idFloor(Path file) throws IOException {
        long begin = System.nanoTime();
        while (true) {
            try {
                create(file, Permissions.of(database)::createFile);
                return IdFloor.in(file);
            } catch (AccessDeniedException e) {
                pauseAfter(e, begin);
            }
        }
    }

    /** Returns the folder to watch for {@link #ring}. */
    Path folder() {
        return folder;
    }

    /** Records that the calling thread is in a managed transaction of a store, which has the write lock. */
    public void managedByThisThread() {
        borrower.set(Thread.currentThread());
    }

    /** Records that the calling thread's managed transaction has ended. Has no effect if it had none. */
    public void givenBackByThisThread() {
        borrower.compareAndSet(Thread.currentThread(), null);
    }

    /** True if the calling thread would wait for itself if it waited for a writer of this file, of any store. */
    public boolean isManagedByThisThread() {
        return borrower.get() == Thread.currentThread();
    }

    /** Returns the number of other processes at the last count. Exact up to {@link #COUNTED}. */
    public int others() {
        return others;
    }

    /** Counts the other processes. A process that comes later notifies. */
    public void look() {
        looking.lock();
        try {
            int found = 0;
            for (long at = FIRST_PLACE; at < FIRST_PLACE + COUNTED; at++) {
                // A new process takes the first free place.
                found += at == place.position() || isFree(at, at + 1) ? 0 : 1;
            }
            if (!isFree(Math.max(place.position() + 1, FIRST_PLACE + COUNTED), END_OF_PLACES)) {
                found++;
            }
            if (place.position() > FIRST_PLACE + COUNTED && !isFree(FIRST_PLACE + COUNTED, place.position())) {
                found++;
            }
            others = found;
        } catch (IOException | RuntimeException e) {
            log.debug("Whether others use {} is not known", database, e);
            others = 1;
        } finally {
            looking.unlock();
        }
    }

    private boolean isFree(long from, long to) throws IOException {
        // A shared lock, so that two processes that count at the same moment do not see each other's locks.
        try (FileLock lock = locks.tryLock(from, to - from, true)) {
            return lock != null;
        }
    }

    /** Notifies the processes that watch the folder. This is only a hint: when it fails, the slow poll remains. */
    public void ring() {
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES).putLong(0, notifications.incrementAndGet());
        untouchedByInterrupts(() -> notifier.write(number, 0));
    }

    /** Returns the content of the notifier file, which each notification changes. For processes that cannot watch the file. */
    long lastNotified() {
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
        untouchedByInterrupts(() -> notifier.read(number, 0));
        return number.getLong(0);
    }

    private interface Access {
        int run() throws IOException;
    }

    /** Runs an access without the interrupt of this thread, because a channel closes itself when an interrupted thread uses it. */
    private void untouchedByInterrupts(Access access) {
        boolean interrupted = Thread.interrupted();
        try {
            access.run();
        } catch (IOException e) {
            log.debug("The notifier file of {} cannot be used", database, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns the processes that have the turn or hold SQLite's write lock, for messages. If this process is one of them, adds a possible cause. */
    public String holders() {
        Thread transacting = borrower.get();
        if (transacting != null) {
            return "a transaction of thread '%s' of this process".formatted(transacting.getName());
        }
        Set<String> holders = new LinkedHashSet<>(
                LockHolder.of(database.resolveSibling(database.getFileName() + "-shm"), SQLITE_WRITE_LOCK));
        boolean pooled = holders.contains(LockHolder.THIS_PROCESS);
        if (holders.isEmpty()) {
            // A process with the turn may itself wait for SQLite's lock. So it is named only if the holder of that lock
            // is unknown.
            holders.addAll(LockHolder.of(folder.resolve(LOCK_FILE), FairFileLock.MAIN));
        }
        String all = holders.isEmpty() ? "an unknown process" : String.join(" and ", holders);
        return pooled ? all + POOLED : all;
    }

    @Override
    public void close() {
        all.lock();
        try {
            if (--stores > 0) {
                return;
            }
            byDatabase.remove(database, this);
            try {
                place.release();
                if (locks.tryLock(FIRST_PLACE, END_OF_PLACES - FIRST_PLACE, false) != null && standsAtItsPath()) {
                    Files.deleteIfExists(folder.resolve(NOTIFIER_FILE));
                    deleteKeptFloors();
                    Files.deleteIfExists(folder.resolve(LOCK_FILE));
                    Files.deleteIfExists(folder);
                }
            } catch (IOException | RuntimeException e) {
                log.debug("{} is left behind", folder, e);
            } finally {
                closeQuietly(notifier);
                closeQuietly(locks);
                LibraryGuard.leave(database);
            }
        } finally {
            all.unlock();
        }
    }

    /** Deletes the floors that their queues have. The floor of a queue all of whose processes were killed stays for its next process. */
    private void deleteKeptFloors() throws IOException {
        try (DirectoryStream<Path> floors = Files.newDirectoryStream(folder, "*" + IDS_FILE)) {
            for (Path floor : floors) {
                if (IdFloor.in(floor).isKept()) {
                    Files.deleteIfExists(floor);
                }
            }
        }
    }

    /**
     * True if the files at the paths are the ones that this process has opened. Other processes delete the files only while they hold all places, and
     * a process that comes then creates new ones. But the folder may have been moved or deleted by hand. Another process may have created a new
     * folder there, which belongs to that process.
     */
    private boolean standsAtItsPath() throws IOException {
        try {
            return Objects.equals(key, key(folder.resolve(LOCK_FILE)));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            log.debug("A file shared with other processes could not be closed", e);
        }
    }
}
