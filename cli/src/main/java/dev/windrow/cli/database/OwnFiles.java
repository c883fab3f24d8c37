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
 * The files of the database that this process works on. They must never be opened by other means: on POSIX, closing any
 * descriptor of a file drops all locks that the process holds on it, SQLite's included. So a file is compared before it
 * is opened, by its key (device and inode), which takes reading attributes only and sees through hard links.
 */
public final class OwnFiles {
    /** The last one is a folder: it is left out with all that is in it. */
    private static final List<String> SUFFIXES = List.of("", "-wal", "-shm", "-journal", "-windrow");

    private final List<Path> paths = new ArrayList<>();

    /** None: the database is not in files of this machine, or in those of a server that looks after them. */
    public OwnFiles() {}

    public OwnFiles(Path database) {
        Path file = real(database);
        for (String suffix : SUFFIXES) {
            paths.add(file.resolveSibling(file.getFileName() + suffix));
        }
    }

    /** SQLite puts its files beside the one that a symbolic link leads to. */
    private static Path real(Path database) {
        try {
            return database.toRealPath();
        } catch (IOException e) {
            return database.toAbsolutePath();
        }
    }

    /** What there is of them now; they come and go while the database is open. */
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

    /** Null when there is no such file. */
    private static @Nullable Object key(Path path) {
        try {
            return key(path, Files.readAttributes(path, BasicFileAttributes.class));
        } catch (IOException e) {
            return null;
        }
    }

    /** What tells a file from all others; its path where the file system has nothing better. */
    public static Object key(Path path, BasicFileAttributes attributes) {
        Object key = attributes.fileKey();
        return key == null ? path.toAbsolutePath().normalize() : key;
    }
}
