package dev.windrow.sqlite;

import dev.windrow.IncompatibleStoreException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteJDBCLoader;

/**
 * Refuses a second copy of this library, or of SQLite, on one file in one JVM. Two copies of SQLite do not know of each
 * other's files, and the locks are the process's: when one closes the file, the locks of the other are gone.
 */
final class Copies {
    /** What all copies in this JVM see: the system properties. */
    private static final String PROPERTY = "dev.windrow.sqlite.open:";

    private static final String OURS = UUID.randomUUID().toString();

    private static final Logger log = LoggerFactory.getLogger(Copies.class);

    private Copies() {}

    /** Notes that this copy has the file open, from now until {@link #leave}. */
    static void enter(Path database) {
        refuseAnother(database, System.getProperties().putIfAbsent(PROPERTY + database, OURS));
        if (isOpenByAnotherSqlite(database)) {
            leave(database);
            throw openByAnotherSqlite(database);
        }
    }

    /** The same for a look that is over soon, and leaves no note. */
    static void check(Path database) {
        refuseAnother(database, System.getProperties().get(PROPERTY + database));
        if (isOpenByAnotherSqlite(database)) {
            throw openByAnotherSqlite(database);
        }
    }

    private static void refuseAnother(Path database, @Nullable Object other) {
        if (other != null && !other.equals(OURS)) {
            throw new IncompatibleStoreException(
                    "opening %s failed: another copy of this library, of another class loader, has it open in this JVM; load the library once, in a class loader that both share"
                            .formatted(database));
        }
    }

    private static IncompatibleStoreException openByAnotherSqlite(Path database) {
        return new IncompatibleStoreException(
                "opening %s failed: another copy of SQLite in this JVM has it open; load the SQLite driver once, in a class loader that all share"
                        .formatted(database));
    }

    static void leave(Path database) {
        System.getProperties().remove(PROPERTY + database, OURS);
    }

    private static boolean isOpenByAnotherSqlite(Path database) {
        Path maps = Path.of("/proc/self/maps");
        Path descriptors = Path.of("/proc/self/fd");
        if (!Files.isReadable(maps) || !Files.isReadable(descriptors)) {
            return false;
        }
        try {
            SQLiteJDBCLoader.initialize();
            Set<String> copies;
            try (Stream<String> lines = Files.lines(maps)) {
                copies = lines.filter(line -> line.contains("sqlitejdbc"))
                        .map(line -> line.substring(line.indexOf('/')))
                        .collect(Collectors.toSet());
            }
            return copies.size() > 1 && isOpen(database, descriptors);
        } catch (Exception e) {
            log.debug("Whether SQLite is loaded twice is not known", e);
            return false;
        }
    }

    private static boolean isOpen(Path database, Path descriptors) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(descriptors)) {
            for (Path entry : entries) {
                try {
                    if (Files.readSymbolicLink(entry).equals(database)) {
                        return true;
                    }
                } catch (IOException e) {
                    log.trace("{} was closed meanwhile", entry);
                }
            }
        }
        return false;
    }
}
