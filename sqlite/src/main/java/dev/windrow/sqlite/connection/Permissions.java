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
 * Gives files and folders beside a database the permissions of the database, for any user that creates them and any umask. SQLite does the same with
 * its log. Exactly the users that may write the database must be able to use the other files.
 */
public final class Permissions {
    /** The permission to enter a folder, for each permission to list it. */
    private static final Map<PosixFilePermission, PosixFilePermission> READ_TO_ENTER = Map.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_EXECUTE,
            PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_EXECUTE);

    private static final Logger log = SafeLogger.of(Permissions.class);

    /**
     * The attributes of the database. Null while the database does not exist: then it and the files beside it get the same permissions, which are all
     * permissions less the umask. Also null if the file system has no POSIX permissions.
     */
    private final @Nullable PosixFileAttributes database;

    private Permissions(@Nullable PosixFileAttributes database) {
        this.database = database;
    }

    /** Returns the permissions of a database, which need not exist yet. */
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
     * Restores the permissions that the umask has removed, and sets the owner and the group. Root can give files to another owner; other users can at
     * most give them to one of their own groups. Used only for files that this process has just created. Links are not followed: if another process
     * has replaced the file, root changes nothing else.
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
