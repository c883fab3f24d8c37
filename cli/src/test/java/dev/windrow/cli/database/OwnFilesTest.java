package dev.windrow.cli.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnFilesTest {
    @TempDir
    private Path folder;

    private static boolean isOwn(OwnFiles own, Path path) throws IOException {
        return own.keys().contains(OwnFiles.key(path, Files.readAttributes(path, BasicFileAttributes.class)));
    }

    @Test
    void containsTheDatabaseAndItsSideFiles() throws IOException {
        Path database = Files.createFile(folder.resolve("jobs.db"));
        OwnFiles own = new OwnFiles(database);
        assertThat(isOwn(own, database)).isTrue();
        for (String suffix : new String[] {"-wal", "-shm", "-journal"}) {
            assertThat(isOwn(own, Files.createFile(folder.resolve("jobs.db" + suffix))))
                    .as(suffix)
                    .isTrue();
        }
        assertThat(isOwn(own, Files.createDirectory(folder.resolve("jobs.db-windrow"))))
                .isTrue();
        assertThat(isOwn(own, Files.createFile(folder.resolve("jobs.db-notes"))))
                .isFalse();
        assertThat(isOwn(own, Files.createFile(folder.resolve("other.db")))).isFalse();
    }

    @Test
    void followsLinks() throws IOException {
        Path database = Files.createFile(folder.resolve("jobs.db"));
        Path log = Files.createFile(folder.resolve("jobs.db-wal"));
        Path symbolic = Files.createSymbolicLink(folder.resolve("symbolic.db"), database);
        Path hard = Files.createLink(folder.resolve("hard.txt"), database);
        OwnFiles own = new OwnFiles(symbolic);
        assertThat(isOwn(own, database)).isTrue();
        assertThat(isOwn(own, log)).isTrue();
        assertThat(isOwn(own, hard)).isTrue();
    }
}
