package dev.windrow.tests.cli.job;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** The command {@code delete}. */
class DeleteTest extends CommandTest {
    private String cancelled() {
        String id = cli.enqueue("mail", "--tag", "customer-17");
        cli.json("cancel", id, "--json");
        return id;
    }

    @Test
    void completedJobsAreDeletedByIdAndByFilter() throws IOException {
        String one = cli.enqueue("mail", "--tag", "customer-17");
        cli.json("complete", one, "--json");
        for (int i = 0; i < 3; i++) {
            cancelled();
        }
        assertThat(cli.json("delete", "--tag", "customer-17", "--max", "2", "--json")
                        .toString())
                .matches("\\{\"changed\":2,\"ids\":\\[.*],\"skipped\":0}");
        assertThat(cli.json("delete", one, "--json").get("changed").asInt()).isEqualTo(1);
        assertThat(cli.run("show", one).status()).isEqualTo(1);
        assertThat(cli.run("delete", "--tag", "customer-17").out()).contains("deleted: 1 (");
    }

    @Test
    void aChainIsDeletedByItsFirstJobAndAWorkflowByItsId() throws IOException {
        String first = cli.enqueue("ask");
        cli.json("complete", first, "--continue-with", "ship", "--json");
        Result refused = cli.run("delete", first);
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("which is deleted as a whole");
        assertThat(cli.run("delete", "--chain", first).out()).contains("skipped because of other jobs: 1");
        cli.json("cancel", "--chain", first, "--json");
        assertThat(cli.json("delete", "--chain", first, "--json").get("changed").asInt())
                .isEqualTo(2);
        assertThat(cli.json("delete", "--workflow", "4711", "--json")
                        .get("changed")
                        .asInt())
                .isZero();
    }

    @Test
    void aSecureDeletionLeavesNoContentInTheFileAndItsLog() throws Exception {
        Path file = folder.resolve("jobs.db");
        Cli cli = new Cli(folder).with("WINDROW_DB", file.toString());
        String secret = "ada-lovelace@example.org";
        String plain = cli.enqueue("mail", "{\"to\":\"%s\"}".formatted(secret));
        // While another connection is open, the end of a command leaves the log as it is.
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            statement.executeQuery("SELECT count(*) FROM windrow_jobs").close();
            cli.json("cancel", plain, "--json");
            assertThat(found(secret)).isTrue();
            cli.json("delete", plain, "--secure", "--json");
            assertThat(found(secret)).isFalse();
        }
    }

    /** The lock of checkpoints, in the index of the log. With a reader in place of the lock, the command would wait for 10 s. */
    @Test
    void aSecureDeletionSaysThatTheLogStillHasTheContent() throws Exception {
        Path file = folder.resolve("jobs.db");
        Cli cli = new Cli(folder).with("WINDROW_DB", file.toString());
        String secret = "ada-lovelace@example.org";
        String id = cli.enqueue("mail", "{\"to\":\"%s\"}".formatted(secret));
        String other = cli.enqueue("report");
        cli.json("cancel", id, other, "--json");
        try (Connection open = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = open.createStatement()) {
            statement.executeUpdate("UPDATE windrow_jobs SET priority = priority");
            try (FileChannel index = FileChannel.open(folder.resolve("jobs.db-shm"), StandardOpenOption.WRITE)) {
                assertThat(index.tryLock(121, 1, false)).isNotNull();
                assertThat(cli.process("delete", id, "--secure", "--dry-run").status())
                        .isZero();
                assertThat(cli.process("delete", other).status()).isZero();
                Result kept = cli.process("delete", id, "--secure");
                assertThat(kept.status()).isEqualTo(1);
                assertThat(kept.out()).contains("deleted: 1 (");
                assertThat(kept.err())
                        .contains("the log of", "still has their content", "with a filter and not with ids");
                assertThat(found(secret)).isTrue();
            }
            assertThat(cli.run("delete", "--type", "mail", "--secure").status()).isZero();
            assertThat(found(secret)).isFalse();
        }
    }

    @Test
    void aSecureDeletionIsRefusedForPostgresql() {
        Result refused = new Cli(folder).run("delete", "1", "--secure", "--db", "jdbc:postgresql://none.invalid/x");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("--secure is possible for a SQLite file only", "VACUUM");
    }

    /** True if the text is in one of the files of the database. */
    private boolean found(String text) throws IOException {
        try (var files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (new String(Files.readAllBytes(file), ISO_8859_1).contains(text)) {
                    return true;
                }
            }
        }
        return false;
    }
}
