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
 * Refuses a second copy of this library, or of SQLite's driver, on one file in one JVM. Two copies of SQLite do not know of
 * each other's files, and the locks are the process's: when one closes the file, the locks of the other are gone. The
 * connections of one copy share what they know, however many there are: an application's pool is welcome.
 *
 * <p>Whose an open file is the kernel does not tell. With a single copy loaded it is that one's; with two, only what this
 * library has opened itself is known.
 */
public final class LibraryGuard {
    /** What all copies in this JVM see: the system properties. */
    private static final String PROPERTY = "dev.windrow.sqlite.open:";

    private static final String OURS = UUID.randomUUID().toString();

    private static final Logger log = SafeLogger.of(LibraryGuard.class);

    private LibraryGuard() {}

    /** Notes that this copy has the file open, from now until {@link #leave}. */
    public static void enter(Path database) {
        refuseAnother(database, System.getProperties().putIfAbsent(PROPERTY + database, OURS));
        try {
            refuseAnotherSqlite(database, false);
        } catch (IncompatibleStoreException e) {
            leave(database);
            throw e;
        }
    }

    /** The same for a look that is over soon, and leaves no note. */
    public static void check(Path database) {
        Object holder = System.getProperties().get(PROPERTY + database);
        refuseAnother(database, holder);
        refuseAnotherSqlite(database, holder != null);
    }

    private static void refuseAnother(Path database, @Nullable Object other) {
        if (other != null && !other.equals(OURS)) {
            throw new IncompatibleStoreException(
                    "opening %s failed: another copy of this library, of another class loader, has it open in this JVM; load the library once, in a class loader that both share, or close the other's store first"
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
                        "opening %s failed: this JVM has loaded %d copies of the SQLite driver (%s), and %s has the file open; load the driver once, in a class loader that all share; if what has it open is a pool of the copy that Windrow uses, open the store before the pool"
                                .formatted(
                                        database,
                                        libraries.size(),
                                        String.join(", ", libraries),
                                        openHere ? "more than one of them" : "one of them"));
            }
        } catch (IncompatibleStoreException e) {
            throw e;
        } catch (Exception e) {
            log.debug("Whether SQLite is loaded twice is not known", e);
        }
    }

    /** The driver's native libraries among what is mapped: each class loader has one of its own. */
    public static SortedSet<String> libraries(List<String> mapped) {
        return mapped.stream()
                .filter(line -> line.matches("\\S+ ..x. .*/[^/]*sqlitejdbc[^/]*"))
                .map(line -> line.substring(line.indexOf('/')))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** How many copies of SQLite use the database's log: each maps the beginning of its shared memory once. */
    public static long users(List<String> mapped, Path database) {
        return mapped.stream()
                .filter(line -> line.endsWith(" " + database + "-shm") && line.matches("\\S+ \\S+ 0+ .*"))
                .count();
    }

    /** By the file and not by its name, which may be one of several. Only attributes are read. */
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
                    log.trace("{} was closed meanwhile", entry);
                }
            }
        }
        return false;
    }

    private static Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }
}
