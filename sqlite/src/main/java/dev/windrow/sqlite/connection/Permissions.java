package dev.windrow.sqlite.connection;

import dev.windrow.store.SafeLogger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Gives what is made beside a database the permissions of the database, whoever makes it and with whatever umask: as
 * SQLite does it with its log. Who may write the one must be able to use the other, and nobody else.
 */
public final class Permissions {
    /** Who may list a folder must be able to enter it. */
    private static final Map<PosixFilePermission, PosixFilePermission> READ_TO_ENTER = Map.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_EXECUTE,
            PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_EXECUTE);

    private static final Logger log = SafeLogger.of(Permissions.class);

    /**
     * Null while the database does not exist: then it and what is beside it get the same, which is everything less the
     * umask. Null as well where there are no permissions of this kind.
     */
    private final @Nullable PosixFileAttributes database;

    private Permissions(@Nullable PosixFileAttributes database) {
        this.database = database;
    }

    /** Those of a database, which need not exist yet. */
    public static Permissions of(Path database) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(database, PosixFileAttributeView.class);
        return new Permissions(view == null || !Files.exists(database) ? null : view.readAttributes());
    }

    public void createFolder(Path folder) throws IOException {
        PosixFileAttributes like = database;
        if (like == null) {
            Files.createDirectory(folder);
            return;
        }
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        permissions.addAll(like.permissions());
        READ_TO_ENTER.forEach((read, enter) -> {
            if (permissions.contains(read)) {
                permissions.add(enter);
            }
        });
        Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(permissions));
        give(folder, permissions, like);
    }

    public void createFile(Path file) throws IOException {
        PosixFileAttributes like = database;
        if (like == null) {
            Files.createFile(file);
            return;
        }
        Files.createFile(file, PosixFilePermissions.asFileAttribute(like.permissions()));
        give(file, like.permissions(), like);
    }

    /**
     * What the umask has taken away, and the owner: root gives files away, others at most to a group of theirs. Only for what
     * this process has just made, and without following links, so that root gives nothing away that somebody has put in
     * its place.
     */
    private static void give(Path made, Set<PosixFilePermission> permissions, PosixFileAttributes like)
            throws IOException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(made, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        PosixFileAttributes actual = view.readAttributes();
        if (!actual.group().equals(like.group())) {
            attempt(made, "group", () -> view.setGroup(like.group()));
        }
        if (!actual.permissions().equals(permissions)) {
            attempt(made, "permissions", () -> view.setPermissions(permissions));
        }
        if (!actual.owner().equals(like.owner())) {
            attempt(made, "owner", () -> view.setOwner(like.owner()));
        }
    }

    private interface Change {
        void make() throws IOException;
    }

    private static void attempt(Path made, String what, Change change) {
        try {
            change.make();
        } catch (IOException e) {
            log.debug("{} keeps its {}: {}", made, what, e.toString());
        }
    }
}
