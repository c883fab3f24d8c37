package dev.windrow.sqlite.connection;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.store.SafeLogger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;

/**
 * Refuses network file systems. SQLite's log needs memory that all processes share, and locks that hold. A network file system provides neither: two
 * machines on one file destroy it, sooner or later, without an error.
 */
public final class FileSystems {
    private static final Logger log = SafeLogger.of(FileSystems.class);

    /** The types of network file systems as the operating systems name them. A name ends at a dash or a dot, or continues with a version. */
    private static final List<String> NETWORK = List.of(
            "nfs",
            "cifs",
            "smb",
            "9p",
            "afs",
            "ncpfs",
            "coda",
            "ceph",
            "gfs",
            "ocfs",
            "lustre",
            "glusterfs",
            "beegfs",
            "webdav",
            "davfs",
            "fuse.sshfs",
            "fuse.s3fs",
            "fuse.rclone",
            "fuse.glusterfs",
            "fuse.ceph",
            "fuse.gcsfuse",
            "fuse.davfs",
            "fuse.nfs");

    private FileSystems() {}

    /** Refuses a database in this folder if the folder is on a network file system. */
    static void check(Path database, Path folder) {
        String type;
        try {
            type = Files.getFileStore(folder).type();
        } catch (IOException e) {
            log.debug("The type of the file system of {} is not known: {}", folder, e.toString());
            return;
        }
        if (isNetwork(type)) {
            throw new IncompatibleStoreException(
                    "opening %s failed: its folder is on a network file system (%s), where SQLite's locks do not work; use a local disk, or PostgreSQL for several machines"
                            .formatted(database, type));
        }
    }

    public static boolean isNetwork(String type) {
        String name = type.toLowerCase(Locale.ROOT);
        return NETWORK.stream()
                .anyMatch(network -> name.startsWith(network)
                        && name.substring(network.length()).matches("(fs)?[0-9]*([-.].*)?"));
    }
}
