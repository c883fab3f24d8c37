package dev.windrow.sqlite.processes;

import dev.windrow.StoreUnavailableException;
import dev.windrow.sqlite.connection.LibraryGuard;
import dev.windrow.sqlite.connection.LockHolder;
import dev.windrow.sqlite.connection.Permissions;
import dev.windrow.sqlite.writer.IdFloor;
import dev.windrow.store.SafeLogger;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
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
 * What the processes on one database file share beside it: a folder with the file whose locks are the {@link FairFileLock}
 * and tell who is there, the file that is the doorbell, and the {@link IdFloor}. The last one to leave removes it; after a crash, whoever comes
 * next uses it on.
 *
 * <p>There is one for each file and JVM, shared by the stores on it, with one channel to the lock file: closing any other
 * descriptor of that file would drop all locks that the process has on it.
 */
public final class PeerProcesses implements AutoCloseable {
    /** What the folder is called: the database's name with this behind it. */
    public static final String SUFFIX = "-windrow";

    private static final String LOCK_FILE = "lock";
    private static final String NOTIFIER_FILE = "notifier";
    private static final String IDS_FILE = "ids";
    /** The bytes of the lock file that tell who is there: each process holds one. */
    private static final long FIRST_PLACE = 64;

    private static final long END_OF_PLACES = FIRST_PLACE + 4096;
    /** How long to try to open the files while others remove them. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** Whoever makes the files gives them their permissions a moment later. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** How many places are looked at one by one. */
    private static final int COUNTED = 16;
    /** Byte of SQLite's shared-memory file that is locked by who writes to the log. */
    public static final long SQLITE_WRITE_LOCK = 120;

    private static final String POOLED =
            " (a connection of a pool with autoCommit=false and transaction_mode=IMMEDIATE holds it while idle: say jdbc.explicit_readonly=true in its place)";

    private static final Logger log = SafeLogger.of(PeerProcesses.class);

    private static final ReentrantLock all = new ReentrantLock();
    /** Guarded by all. */
    private static final Map<Path, PeerProcesses> byDatabase = new HashMap<>();

    private final Path database;
    private final Path folder;
    private final FileChannel locks;
    /** What tells the lock file from others that may stand at its path by and by; null where nothing does. */
    private final @Nullable Object key;

    private final FileChannel notifier;
    private final FileLock place;
    private final IdFloor idFloor;
    private final FairFileLock fileLock;
    /** Begins where no other process does: each notification must differ from the one before, whoever it was. */
    private final AtomicLong notifications =
            new AtomicLong((ProcessHandle.current().pid() << 40) ^ System.nanoTime());

    /** The caller's thread that has the write lock in a transaction that a store of this process manages. */
    private final AtomicReference<@Nullable Thread> borrower = new AtomicReference<>();

    private final ReentrantLock looking = new ReentrantLock();
    private volatile int others;
    /** Guarded by all. */
    private int stores;

    /** What was opened together. */
    private record Opened(
            FileChannel locks, @Nullable Object key, FileLock place, FileChannel notifier, IdFloor idFloor) {}

    private PeerProcesses(Path database, Path folder, Opened opened) {
        this.database = database;
        this.folder = folder;
        this.locks = opened.locks;
        this.key = opened.key;
        this.place = opened.place;
        this.notifier = opened.notifier;
        this.idFloor = opened.idFloor;
        this.fileLock = new FairFileLock(locks);
    }

    /** Joins those on this database; the path has no links in it. */
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
                    throw new StoreUnavailableException(
                            "opening %s failed: the files in %s, by which processes take turns, cannot be used: %s; a process that may write the database must be able to write them, too (they can be removed while nobody has the database open)"
                                    .formatted(database, folder, e),
                            e);
                }
                byDatabase.put(database, peers);
            }
            peers.stores++;
            // Those who were alone until now learn that they no longer are.
            peers.ring();
            peers.look();
            return peers;
        } finally {
            all.unlock();
        }
    }

    private static Opened open(Path database, Path folder) throws IOException {
        Path file = folder.resolve(LOCK_FILE);
        Path notifierFile = folder.resolve(NOTIFIER_FILE);
        Path idsFile = folder.resolve(IDS_FILE);
        long begin = System.nanoTime();
        while (true) {
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                throw new IOException("others come and go too fast, or no place is free");
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
                    // Whoever leaves last removes the files, and does so while nobody can take a place in them.
                    if (place != null && Objects.equals(key, key(file))) {
                        create(notifierFile, permissions::createFile);
                        create(idsFile, permissions::createFile);
                        IdFloor idFloor = IdFloor.in(idsFile);
                        FileChannel notifier =
                                FileChannel.open(notifierFile, StandardOpenOption.READ, StandardOpenOption.WRITE);
                        ours = true;
                        return new Opened(locks, key, place, notifier, idFloor);
                    }
                } finally {
                    if (!ours) {
                        locks.close();
                    }
                }
            } catch (NoSuchFileException e) {
                log.debug("Somebody has just removed {}; trying again", folder);
            } catch (AccessDeniedException e) {
                if (System.nanoTime() - begin > GRACE_NANOS) {
                    throw e;
                }
                LockSupport.parkNanos(GRACE_NANOS / 100);
            }
        }
    }

    private interface Creation {
        void create(Path path) throws IOException;
    }

    /** What is there already may be gone in the next moment: then the next step says so. */
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

    public IdFloor idFloor() {
        return idFloor;
    }

    /** The folder to watch for {@link #ring}. */
    Path folder() {
        return folder;
    }

    /** The calling thread is in a transaction that a store manages, which has the write lock. */
    public void managedByThisThread() {
        borrower.set(Thread.currentThread());
    }

    /** It is not any more; nothing happens if it was not. */
    public void givenBackByThisThread() {
        borrower.compareAndSet(Thread.currentThread(), null);
    }

    /** Whether the calling thread would wait for itself if it waited for a writer of this file, of whatever store. */
    public boolean isManagedByThisThread() {
        return borrower.get() == Thread.currentThread();
    }

    /** How many other processes were there when somebody last looked; exact up to {@link #COUNTED}. */
    public int others() {
        return others;
    }

    /** Looks how many other processes are there. One that comes later notifies. */
    public void look() {
        looking.lock();
        try {
            int found = 0;
            for (long at = FIRST_PLACE; at < FIRST_PLACE + COUNTED; at++) {
                // Whoever comes takes the first place that is free.
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
        // Shared, so that two who look at the same moment do not see each other.
        try (FileLock lock = locks.tryLock(from, to - from, true)) {
            return lock != null;
        }
    }

    /** Wakes whoever watches the folder. Only a hint: when it fails, the slow poll is left. */
    public void ring() {
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES).putLong(0, notifications.incrementAndGet());
        untouchedByInterrupts(() -> notifier.write(number, 0));
    }

    /** The content of the notifier file, which each notification changes; for processes that cannot watch it. */
    long lastNotified() {
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
        untouchedByInterrupts(() -> notifier.read(number, 0));
        return number.getLong(0);
    }

    private interface Access {
        int run() throws IOException;
    }

    /** A channel closes itself when a thread whose interrupt is set uses it. */
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

    /** Who has the turn, or holds SQLite's write lock, and what the cause may be if that is this process: for messages. */
    public String holders() {
        Set<String> holders = new LinkedHashSet<>(
                LockHolder.of(database.resolveSibling(database.getFileName() + "-shm"), SQLITE_WRITE_LOCK));
        boolean pooled = holders.contains(LockHolder.THIS_PROCESS);
        if (holders.isEmpty()) {
            // Who waits for SQLite's lock has the turn meanwhile, and is not in the way itself.
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
                    Files.deleteIfExists(folder.resolve(IDS_FILE));
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

    /**
     * Whether the files at the paths are those that this process has opened. Neighbours remove them only while they hold
     * all places, and whoever comes then begins anew; but a folder may have been moved or removed by hand, and others
     * may have made a new one there, which is theirs.
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
            log.debug("Closing a file of the neighbours", e);
        }
    }
}
