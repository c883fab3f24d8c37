package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Store;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.Once;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import dev.windrow.transfer.QueueCopy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A copy onto a full disk reports the reason, harms no data, and continues when there is space. */
@Once
class CopyDiskTest {
    private static final JobType<Json, Json> ECHO = JobType.raw("copy.echo");

    @TempDir
    Path folder;

    private static void assertCanBeUsed(Path file, long jobs) {
        try (Windrow windrow = Windrow.open(SqliteStore.at(file))) {
            assertThat(windrow.enqueue(ECHO, new Json("1")).state()).isEqualTo(JobState.PENDING);
            assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.PENDING, jobs + 1);
        }
    }

    private Path source() {
        Path file = folder.resolve("jobs.db");
        try (Windrow windrow = Windrow.open(SqliteStore.at(file))) {
            for (int i = 0; i < 8; i++) {
                windrow.enqueue(ECHO, new Json("\"" + "x".repeat(900_000) + "\""));
            }
        }
        return file;
    }

    private static String[] copy(Path file, String to, String... more) {
        String[] command = new String[6 + more.length];
        command[0] = System.getProperty("windrow.root") + "/windrow";
        command[1] = "copy";
        command[2] = "--to";
        command[3] = to;
        command[4] = "--db";
        command[5] = file.toString();
        System.arraycopy(more, 0, command, 6, more.length);
        return command;
    }

    @Test
    void aTargetFileOnAFullDiskIsRefusedUntilTheCopyIsResumed() throws Exception {
        Path file = source();
        try (SmallDisk disk = new SmallDisk(folder, 40)) {
            disk.run("dd", "if=/dev/zero", "of=" + disk.path("ballast"), "bs=1M", "count=36");
            String target = disk.path("copy.db").toString();
            SmallDisk.Outcome full = disk.run(copy(file, target));
            assertThat(full.status()).as(full.text()).isEqualTo(1);
            assertThat(full.text()).contains("copy.db failed", "full");
            assertCanBeUsed(file, 8);
            SmallDisk.Outcome refused =
                    disk.run(System.getProperty("windrow.root") + "/windrow", "stats", "--db", target);
            assertThat(refused.status()).as(refused.text()).isNotZero();

            SmallDisk.Outcome again = disk.run(copy(file, target, "--resume"));
            assertThat(again.status()).as(again.text()).isEqualTo(1);
            assertThat(again.text()).contains("full");
            disk.free();
            SmallDisk.Outcome resumed = disk.run(copy(file, target, "--resume"));
            assertThat(resumed.status()).as(resumed.text()).isZero();
            assertThat(resumed.text()).contains("9 jobs");
            assertCanBeUsed(disk.copyOut("copy.db"), 9);
        }
    }

    @Test
    void aSourceOnAFullDiskThatCannotBeClosedStaysOpen() throws Exception {
        Path copy = folder.resolve("copy.db");
        Path file = source();
        try (SmallDisk disk = new SmallDisk(folder, 16)) {
            disk.run("cp", file.toString(), disk.path("jobs.db").toString());
            disk.fill();
            SmallDisk.Outcome full = disk.run(copy(disk.path("jobs.db"), copy.toString(), "--close-source"));
            assertThat(full.status()).as(full.text()).isEqualTo(1);
            disk.free();
            String windrow = System.getProperty("windrow.root") + "/windrow";
            String source = disk.path("jobs.db").toString();
            SmallDisk.Outcome enqueued = disk.run(windrow, "enqueue", "copy.echo", "1", "--db", source);
            assertThat(enqueued.status()).as(enqueued.text()).isZero();
            SmallDisk.Outcome done = Files.exists(copy)
                    ? disk.run(copy(disk.path("jobs.db"), copy.toString(), "--close-source", "--resume"))
                    : disk.run(copy(disk.path("jobs.db"), copy.toString(), "--close-source"));
            assertThat(done.status()).as(done.text()).isZero();
            assertThat(done.text()).contains("9 jobs");
        }
        assertCanBeUsed(copy, 9);
    }

    @Test
    void aTargetServerWithAFullDiskIsRefusedUntilTheCopyIsResumed() throws Exception {
        Path file = source();
        try (Target server = StoreKind.POSTGRES.newTarget(folder)) {
            // Creates the tables of the target, so that the test can make them fail.
            Windrow.open(server.newStore()).close();
            execute(server, """
                    CREATE FUNCTION fail_if_full() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                      RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = 'disk_full';
                    END $$;
                    CREATE TRIGGER full_disk BEFORE INSERT ON windrow_inputs FOR EACH STATEMENT EXECUTE FUNCTION fail_if_full();
                    """);
            Store from = SqliteStore.at(file);
            Store to = server.newStore();

            QueueCopy copy = QueueCopy.from(from).to(to);
            assertThatThrownBy(copy::run)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("jobs")
                    .hasMessageContaining("disk is full");
            assertCanBeUsed(file, 8);
            assertThatThrownBy(() -> Windrow.open(server.newStore()))
                    .isInstanceOf(IncompatibleStoreException.class)
                    .hasMessageContaining("not finished");
            execute(server, "DROP FUNCTION fail_if_full() CASCADE");
            assertThat(QueueCopy.from(from).to(to).resume().run().jobs()).isEqualTo(9);

            try (Windrow windrow = Windrow.open(server.newStore())) {
                assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.PENDING, 9L);
            }
        }
    }

    private static void execute(Target server, String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
