package dev.windrow.cli.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of the database of this process. The process must never open them by other means: on POSIX, closing any
 * descriptor of a file releases all locks of the process on it, SQLite's included. So a file is compared before it is
 * opened, by its key (device and inode). The key needs the file's attributes only, and is the same for hard links.
 */
public final class OwnFiles {
    /** The suffixes of the file names. The last one is a folder, which is left out with its content. */
    private static final List<String> SUFFIXES = List.of("", "-wal", "-shm", "-journal", "-windrow");

    private final List<Path> paths = new ArrayList<>();

    /** Creates an empty set, for a database without files of this machine, or whose server guards them. */
    public OwnFiles() {}

    public OwnFiles(Path database) {
        Path file = real(database);
        for (String suffix : SUFFIXES) {
            paths.add(file.resolveSibling(file.getFileName() + suffix));
        }
    }

    /** Resolves a symbolic link, because SQLite creates its files next to the linked file. */
    private static Path real(Path database) {
        try {
            return database.toRealPath();
        } catch (IOException e) {
            return database.toAbsolutePath();
        }
    }

    /** Returns the keys of the files that exist now. They come and go while the database is open. */
    public Set<Object> keys() {
        Set<Object> keys = new HashSet<>();
        for (Path path : paths) {
            Object key = key(path);
            if (key != null) {
                keys.add(key);
            }
        }
        return keys;
    }

    /** Returns the key of a file; null if the file does not exist. */
    private static @Nullable Object key(Path path) {
        try {
            return key(path, Files.readAttributes(path, BasicFileAttributes.class));
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the identity of a file; its path if the file system has nothing better. */
    public static Object key(Path path, BasicFileAttributes attributes) {
        Object key = attributes.fileKey();
        return key == null ? path.toAbsolutePath().normalize() : key;
    }
}
