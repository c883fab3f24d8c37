package dev.windrow.sqlite.connection;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.store.SafeLogger;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.sqlite.SQLiteJDBCLoader;

/**
 * Refuses a second copy of this library, or of SQLite's driver, on one file in one JVM. Two copies of SQLite do not know about each other's files,
 * but file locks belong to the process. When one copy closes the file, the locks of the other copy are lost. All connections of one copy share its
 * state, so an application's pool may use the same file.
 *
 * <p>The kernel does not tell which copy has opened a file. With a single copy loaded, it is that copy. With two copies, only the files that this
 * library has opened itself are known.
 */
public final class LibraryGuard {
    /** The prefix of the system properties that record open files. All copies in this JVM see the system properties. */
    private static final String PROPERTY = "dev.windrow.sqlite.open:";

    private static final String OURS = UUID.randomUUID().toString();

    private static final Logger log = SafeLogger.of(LibraryGuard.class);

    private LibraryGuard() {}

    /** Records that this copy has the file open, from now until {@link #leave}. */
    public static void enter(Path database) {
        refuseAnother(database, System.getProperties().putIfAbsent(PROPERTY + database, OURS));
        try {
            refuseAnotherSqlite(database, false);
        } catch (IncompatibleStoreException e) {
            leave(database);
            throw e;
        }
    }

    /** Does the same check for a short use of the file, and records nothing. */
    public static void check(Path database) {
        Object holder = System.getProperties().get(PROPERTY + database);
        refuseAnother(database, holder);
        refuseAnotherSqlite(database, holder != null);
    }

    private static void refuseAnother(Path database, @Nullable Object other) {
        if (other != null && !other.equals(OURS)) {
            throw new IncompatibleStoreException(
                    "opening %s failed: a second copy of this library, in another class loader of this JVM, has the file open; load the library once, in a shared class loader, or close the other store first"
                            .formatted(database));
        }
    }

    public static void leave(Path database) {
        System.getProperties().remove(PROPERTY + database, OURS);
    }

    private static void refuseAnotherSqlite(Path database, boolean openHere) {
        Path maps = Path.of("/proc/self/maps");
        Path descriptors = Path.of("/proc/self/fd");
        if (!Files.isReadable(maps) || !Files.isReadable(descriptors)) {
            return;
        }
        try {
            SQLiteJDBCLoader.initialize();
            List<String> mapped;
            try (Stream<String> lines = Files.lines(maps)) {
                mapped = lines.toList();
            }
            SortedSet<String> libraries = libraries(mapped);
            if (libraries.size() > 1 && (openHere ? users(mapped, database) > 1 : isOpen(database, descriptors))) {
                throw new IncompatibleStoreException(
                        "opening %s failed: this JVM has loaded %d copies of the SQLite driver (%s), and %s has the file open; load the driver once, in a shared class loader; if a pool of Windrow's own copy has the file open, open the store before the pool"
                                .formatted(
                                        database,
                                        libraries.size(),
                                        String.join(", ", libraries),
                                        openHere ? "more than one of them" : "one of them"));
            }
        } catch (IncompatibleStoreException e) {
            throw e;
        } catch (Exception e) {
            log.debug("The check for a second copy of SQLite in this JVM failed", e);
        }
    }

    /** Returns the driver's native libraries among the mapped files. Each class loader has a library of its own. */
    public static SortedSet<String> libraries(List<String> mapped) {
        return mapped.stream()
                // The pattern, for each of hundreds of lines, took most of the time of an open.
                .filter(line -> line.contains("sqlitejdbc") && line.matches("\\S+ ..x. .*/[^/]*sqlitejdbc[^/]*"))
                .map(line -> line.substring(line.indexOf('/')))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Counts the copies of SQLite that use the database's log. Each copy maps the beginning of the shared memory once. */
    public static long users(List<String> mapped, Path database) {
        return mapped.stream()
                .filter(line -> line.endsWith(" " + database + "-shm") && line.matches("\\S+ \\S+ 0+ .*"))
                .count();
    }

    /**
     * True if a descriptor refers to the database. Compares the file and not its name, because a file may have several names. Only attributes are
     * read.
     */
    private static boolean isOpen(Path database, Path descriptors) throws IOException {
        if (!Files.exists(database)) {
            return false;
        }
        Object key = key(database);
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(descriptors)) {
            for (Path entry : entries) {
                try {
                    if (key(entry).equals(key)) {
                        return true;
                    }
                } catch (IOException e) {
                    log.trace("{} was closed at the same time", entry);
                }
            }
        }
        return false;
    }

    private static Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }
}
