package dev.windrow.tests.cli.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.AtWork;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow backup} from outside. */
class BackupTest extends CommandTest {
    @Test
    void backupCopiesAFileWhileAWorkerRunsAndNamesTheToolForAServer() throws Exception {
        String id = cli.enqueuePatient();
        AtWork worker = cli.begin("work", "--allow-exec", "--lease", "1s");
        Cli.contentOf(folder.resolve("started"));
        if (!target.isFile()) {
            Result refused = cli.run("backup", "copy.db", "--json");
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.err()).contains("pg_dump", "windrow copy --to FILE");
            assertThat(refused.out()).isEmpty();
        } else {
            JsonNode answer = cli.json("backup", "copy.db", "--json");
            assertThat(answer.propertyNames()).containsExactly("file", "bytes");
            assertThat(answer.get("file").asString()).isEqualTo("copy.db");
            assertThat(answer.get("bytes").asLong()).isEqualTo(Files.size(folder.resolve("copy.db")));
            Result again = cli.run("backup", "copy.db");
            assertThat(again.status()).isEqualTo(1);
            assertThat(again.err()).contains("copy.db exists");
            Result nowhere = cli.run("backup", "nowhere/copy.db");
            assertThat(nowhere.status()).isEqualTo(1);
            assertThat(nowhere.err()).contains("nowhere does not exist");
            assertThat(cli.run("backup", "other.db").out())
                    .startsWith("other.db: ")
                    .endsWith(" bytes\n");
            assertThat(cli.json("show", id, "--json", "--db", "copy.db")
                            .get("state")
                            .asString())
                    .isEqualTo("RUNNING");
        }
        Result none = cli.run("backup");
        assertThat(none.status()).isEqualTo(2);
        assertThat(none.err()).contains("FILE");
        Files.createFile(folder.resolve("go"));
        worker.signal();
        assertThat(worker.end().status()).isZero();
        if (target.isFile()) {
            // What ran when the copy was made is taken back there.
            assertThat(cli.run("work", "--until-idle", "--allow-exec", "--lease", "1s", "--db", "copy.db")
                            .status())
                    .isZero();
            assertThat(cli.json("show", id, "--json", "--db", "copy.db")
                            .get("state")
                            .asString())
                    .isEqualTo("COMPLETED");
            Result doctor = cli.run("doctor", "--full", "--db", "copy.db");
            assertThat(doctor.status()).as(doctor.out()).isZero();
        }
    }
}
