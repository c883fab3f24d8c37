package dev.windrow.tests.cli.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.Cli.Running;
import dev.windrow.tests.cli.CommandTest;
import dev.windrow.tests.cli.step.SignalTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow work} from outside; more on how it ends is in {@link SignalTest}, commands are in {@link ExecTest}, handlers in {@link HandlersTest}. */
public class WorkTest extends CommandTest {
    @Test
    void aWorkerWithoutAllowExecLeavesCommandsToOtherWorkers() {
        String id = cli.enqueue("exec", "--", "sh", "-c", "echo hi");
        cli.enqueue("nobody.does", "--queue", "images");
        Result left = cli.process("work", "--until-idle", "--json");
        assertThat(left.json().toString())
                .isEqualTo(
                        "{\"completed\":0,\"failed\":0,\"cancelled\":0,\"retried\":0,\"snoozed\":0,\"parked\":0,\"handedBack\":0}");
        assertThat(left.err().lines())
                .containsExactly(
                        "windrow: 1 exec job waits; this worker does not run it: it was started without --allow-exec",
                        "windrow: no live worker serves queue 'images' (1 ready job)",
                        "windrow: no live worker handles type 'nobody.does' (1 ready job)");
        assertThat(show(id).get("state").asString()).isEqualTo("PENDING");
        assertThat(show(id).get("attempts")).isEmpty();

        assertThat(cli.json("work", "--until-idle", "--allow-exec", "--json")
                        .get("completed")
                        .asInt())
                .isEqualTo(1);
        assertThat(cli.json("show", id, "--json").get("result").toString())
                .isEqualTo(
                        "{\"exitCode\":0,\"stdout\":\"hi\\n\",\"stderr\":\"\",\"stdoutDroppedBytes\":0,\"stderrDroppedBytes\":0}");
    }

    @Test
    void aLabelNamesTheWorkerInTheHistoryOfItsJobs() {
        String id = cli.enqueue("exec", "--", "true");
        cli.run("work", "--until-idle", "--allow-exec", "--name", "night shift");
        assertThat(show(id).at("/attempts/0/worker").asString()).startsWith("night shift");
        Result refused = cli.run("work", "--name", "a\nb");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("--name", "1 to 200 characters, no control characters");
    }

    @Test
    void anUnknownLevelOfEventsIsRefused() {
        Result refused = cli.run("work", "--events", "some");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("--events", "some", "all, outcomes");
    }

    private Map<String, String> states() {
        return cli.json("list", "--json")
                .get("jobs")
                .valueStream()
                .collect(Collectors.toMap(
                        job -> job.get("id").asString(), job -> job.get("state").asString()));
    }

    @Test
    void untilIdleRunsChildrenAndLeavesJobsThatCannotRunNow() {
        String parent = cli.enqueue("exec", "--", "true");
        String child = cli.enqueue("exec", "--depends-on", parent, "--", "true");
        String failing = cli.enqueue("exec", "--max-attempts", "1", "--", "false");
        String anyway = cli.enqueue("exec", "--depends-on", failing, "--on-parent-failure", "run", "--", "true");
        String waiting = cli.enqueue("exec", "--depends-on", failing, "--", "true");
        String later = cli.enqueue("exec", "--delay", "1h", "--", "true");
        String unknown = cli.enqueue("nobody.does");
        String elsewhere = cli.enqueue("exec", "--queue", "other", "--", "true");
        JsonNode totals = cli.json("work", "--until-idle", "--allow-exec", "--concurrency", "2", "--json");
        assertThat(totals.get("completed").asInt()).isEqualTo(3);
        assertThat(totals.get("failed").asInt()).isEqualTo(1);
        Map<String, String> states = states();
        assertThat(states)
                .containsEntry(child, "COMPLETED")
                .containsEntry(anyway, "COMPLETED")
                .containsEntry(waiting, "BLOCKED")
                .containsEntry(later, "SCHEDULED")
                .containsEntry(unknown, "PENDING")
                .containsEntry(elsewhere, "PENDING");

        assertThat(cli.json("work", "--until-idle", "--allow-exec", "--queue", "other:1", "--json")
                        .get("completed")
                        .asInt())
                .isEqualTo(1);
        assertThat(cli.run("work", "--until-idle").out()).contains("completed 0");
    }

    @Test
    void aWorkerWithAMinimumPriorityLeavesOtherJobs() {
        String low = cli.enqueue("exec", "--priority", "9", "--", "true");
        String high = cli.enqueue("exec", "--priority", "10", "--", "true");
        cli.json("work", "--until-idle", "--allow-exec", "--min-priority", "10", "--json");
        assertThat(states()).containsEntry(low, "PENDING").containsEntry(high, "COMPLETED");
        cli.json("work", "--until-idle", "--allow-exec", "--json");
        assertThat(states()).containsEntry(low, "COMPLETED");
    }

    @Test
    void aJobEnqueuedByAnotherProcessIsClaimed() {
        Running worker = cli.start("work", "--allow-exec").said("is running");
        Path mark = folder.resolve("mark");
        String id = cli.enqueue("exec", "--", "sh", "-c", "echo $WINDROW_JOB_ID > mark");
        assertThat(Cli.contentOf(mark)).isEqualTo(id);
        worker.signal("TERM");
        assertThat(worker.end().status()).isZero();
    }

    /** A job that says that it has started, then waits to be let go. */
    private String enqueuePatient() {
        return cli.enqueue(
                "exec",
                "--",
                "sh",
                "-c",
                "echo $$ > started-$WINDROW_JOB_ID; while [ ! -e go ]; do sleep 0.05; done; echo went");
    }

    private long started(String patient) {
        return Long.parseLong(Cli.contentOf(folder.resolve("started-" + patient)));
    }

    private JsonNode show(String id) {
        return cli.json("show", id, "--json");
    }

    @Test
    void aSignalLetsRunningJobsEndAndStopsClaims() throws IOException {
        String patient = enqueuePatient();
        String next = cli.enqueue("exec", "--", "true");
        Running worker = cli.start("work", "--allow-exec", "--concurrency", "1", "--json");
        started(patient);
        worker.signal("TERM").said("stopping");
        Files.createFile(folder.resolve("go"));
        Result result = worker.end();
        assertThat(result.status()).isZero();
        assertThat(result.json().toString())
                .isEqualTo(
                        "{\"completed\":1,\"failed\":0,\"cancelled\":0,\"retried\":0,\"snoozed\":0,\"parked\":0,\"handedBack\":0}");
        assertThat(show(patient).at("/result/stdout").asString()).isEqualTo("went\n");
        assertThat(show(next).get("state").asString()).isEqualTo("PENDING");
    }

    @Test
    void aSecondSignalHandsJobsBackAtOnceWithoutCountingAnAttempt() {
        String patient = enqueuePatient();
        Running worker = cli.start("work", "--allow-exec", "--concurrency", "1", "--json");
        long pid = started(patient);
        worker.signal("TERM").said("stopping").signal("TERM");
        Result result = worker.end();
        assertThat(result.status()).isZero();
        assertThat(result.json().toString())
                .isEqualTo(
                        "{\"completed\":0,\"failed\":0,\"cancelled\":0,\"retried\":0,\"snoozed\":0,\"parked\":0,\"handedBack\":1}");
        // As it was asked for: nothing to warn of.
        assertThat(result.err().lines()).hasSize(2).first().asString().contains("running jobs have 30s");
        assertThat(result.err().lines()).last().asString().isEqualTo("windrow: handing back the running jobs");
        Cli.assertEnds(pid);
        JsonNode history = show(patient);
        assertThat(history.get("state").asString()).isEqualTo("PENDING");
        assertThat(history.get("attempt").asInt()).isZero();
        assertThat(history.at("/attempts/0/outcome").asString()).isEqualTo("RELEASED");
    }
}
