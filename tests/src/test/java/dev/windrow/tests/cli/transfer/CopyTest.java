package dev.windrow.tests.cli.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.Cli.Running;
import dev.windrow.tests.cli.CommandTest;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow copy} and {@code windrow reopen} from outside: from each store to one of the other kind. */
class CopyTest extends CommandTest {
    private Target other;
    private Cli there;

    @BeforeEach
    void setUpOther() throws Exception {
        Path place = Files.createDirectory(folder.resolve("other"));
        other = (target.isFile() ? StoreKind.POSTGRES : StoreKind.SQLITE).newTarget(place);
        there = new Cli(place).on(other);
        if (!other.isFile()) {
            cli.with("WINDROW_TO_SCHEMA", other.schema());
        }
    }

    @AfterEach
    void dropOther() throws SQLException {
        other.close();
    }

    @Test
    void copyTransfersAllJobsAndClosesTheSourceUntilItIsReopened() {
        String done = cli.enqueue("exec", "--tag", "a", "--", "echo", "hello");
        cli.enqueue("exec", "--depends-on", done, "--", "false");
        String waits = cli.enqueue("mail", "{\"to\":\"Ada\"}", "--delay", "1h");
        assertThat(cli.run("work", "--until-idle", "--allow-exec").status()).isZero();
        String before = cli.run("show", done, "--json").out();
        String waiting = cli.run("show", waits, "--json").out();

        JsonNode answer = cli.json("copy", "--to", other.place(), "--close-source", "--json");
        assertThat(answer.propertyNames())
                .containsExactly(
                        "jobs", "events", "tables", "finishedOnly", "sourceChanged", "sourceClosed", "seconds");
        assertThat(answer.get("jobs").asInt()).isEqualTo(3);
        assertThat(answer.get("events").asInt())
                .isEqualTo(Integer.parseInt(
                        other.rows("SELECT count(*) FROM windrow_events").get(0)));
        assertThat(answer.get("tables")).allSatisfy(table -> {
            assertThat(table.propertyNames()).containsExactly("name", "rows", "checksum", "comparedBefore");
            assertThat(table.get("checksum").asString()).matches("[0-9a-f]{16}");
        });
        assertThat(there.run("show", done, "--json").out()).isEqualTo(before);
        assertThat(there.run("show", waits, "--json").out()).isEqualTo(waiting);
        Result doctor = there.run("doctor", "--full");
        assertThat(doctor.status()).as(doctor.out()).isZero();
        assertThat(Long.parseLong(there.enqueue("mail"))).isGreaterThan(Long.parseLong(waits));

        Result refused = cli.run("enqueue", "mail", "--json");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("is closed: its queue was moved to", "windrow reopen");
        assertThat(cli.json("reopen", "--json").get("reopened").asBoolean()).isTrue();
        assertThat(cli.run("reopen").out()).contains("was not closed");
        assertThat(cli.enqueue("mail")).isNotEmpty();
    }

    @Test
    void aCopyThatWasKilledIsResumed() throws Exception {
        Path jobs = folder.resolve("jobs.jsonl");
        Files.writeString(jobs, "{\"type\":\"mail\",\"payload\":{\"to\":\"Ada\"},\"tags\":[\"x\"]}\n".repeat(20_000));
        cli.json("enqueue", "--file", jobs.toString(), "--json");
        Running copy = cli.start("copy", "--to", other.place(), "--verbose").said("windrow: copying jobs");
        copy.signal("KILL");
        assertThat(copy.end().status()).isNotZero();

        Result refused = there.run("stats", "--json");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("not finished", "windrow copy --resume");
        Result notAgain = cli.run("copy", "--to", other.place(), "--json");
        assertThat(notAgain.status()).isEqualTo(1);
        assertThat(notAgain.err()).contains("--resume");
        assertThat(notAgain.out()).isEmpty();
        JsonNode answer = cli.json("copy", "--to", other.place(), "--resume", "--json");
        assertThat(answer.get("jobs").asInt()).isEqualTo(20_000);
        assertThat(there.json("stats", "--json").at("/states/PENDING").asInt()).isEqualTo(20_000);
        Result full = cli.run("copy", "--to", other.place());
        assertThat(full.status()).isEqualTo(1);
        assertThat(full.err()).contains("is not empty");
    }

    @Test
    void finishedJobsAreCopiedWhileAWorkerRunsAndWrongUsageIsRefused() throws Exception {
        String id = cli.enqueuePatient();
        assertThat(cli.with("WINDROW_TO_SCHEMA", target.schema())
                        .run("copy", "--to", target.place(), "--json")
                        .err())
                .contains("same queue");
        cli.with("WINDROW_TO_SCHEMA", other.schema());
        Cli.AtWork worker = cli.begin("work", "--allow-exec");
        Cli.contentOf(folder.resolve("started"));
        Result live = cli.run("copy", "--to", other.place());
        assertThat(live.status()).isEqualTo(1);
        assertThat(live.err()).contains("workers run on ");
        assertThat(cli.json("copy", "--to", other.place(), "--finished", "--json")
                        .get("jobs")
                        .asInt())
                .isZero();
        Files.createFile(folder.resolve("go"));
        worker.signal();
        assertThat(worker.end().status()).isZero();
        assertThat(cli.json("copy", "--to", other.place(), "--resume", "--json")
                        .get("jobs")
                        .asInt())
                .isEqualTo(1);
        assertThat(there.json("show", id, "--json").get("state").asString()).isEqualTo("COMPLETED");

        Result both = cli.run("copy", "--to", "x.db", "--finished", "--close-source");
        assertThat(both.status()).isEqualTo(2);
        assertThat(both.err()).contains("do not go together");
        Result nowhere = cli.run("copy");
        assertThat(nowhere.status()).isEqualTo(2);
        assertThat(nowhere.err()).contains("--to");
    }
}
