package dev.windrow.tests.cli.step;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.Cli.Running;
import dev.windrow.tests.cli.worker.WorkTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** How a worker ends when its time is up, at a terminal, and with nothing to do; one signal and two are in {@link WorkTest}. */
public class SignalTest {
    /** Says that it has started, then waits to be let go. */
    private static final String PATIENT =
            "echo $$ > started-$WINDROW_JOB_ID; while [ ! -e go ]; do sleep 0.05; done; echo went";

    @TempDir
    private Path folder;

    private Cli cli;
    private String patient;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
        patient = enqueue(PATIENT);
        enqueue("true");
    }

    private String enqueue(String script) {
        return cli.enqueue("exec", "--", "sh", "-c", script);
    }

    private long started() {
        return Long.parseLong(Cli.contentOf(folder.resolve("started-" + patient)));
    }

    private JsonNode show(String id) {
        return cli.json("show", id, "--json");
    }

    @Test
    void theDrainTimeoutHandsBackRunningJobs() {
        Running worker = cli.start("work", "--allow-exec", "--concurrency", "1", "--json", "--drain-timeout", "100ms");
        long pid = started();
        worker.signal("TERM");
        Result result = worker.end();
        assertThat(result.status()).isZero();
        assertThat(result.json().get("handedBack").asInt()).isEqualTo(1);
        Cli.assertEnds(pid);
        assertThat(show(patient).get("state").asString()).isEqualTo("PENDING");
    }

    /** A terminal sends SIGINT to the worker and to all that it has started, unless those are in sessions of their own. */
    @Test
    void ctrlCReachesTheWorkerAndNotItsCommands() throws IOException {
        Running worker =
                cli.start(List.of("setsid"), "work", "--allow-exec", "--concurrency", "1", "--until-idle", "--json");
        started();
        worker.signalGroup("INT").said("stopping");
        Files.createFile(folder.resolve("go"));
        Result result = worker.end();
        assertThat(result.status()).isZero();
        assertThat(result.json().get("completed").asInt()).isEqualTo(1);
        JsonNode history = show(patient);
        assertThat(history.get("attempts")).hasSize(1);
        assertThat(history.at("/result/stdout").asString()).isEqualTo("went\n");
    }

    @Test
    void anIdleWorkerEndsAtOnce() {
        Running worker =
                cli.start("work", "--queue", "empty").said("is running").signal("TERM");
        Result result = worker.end();
        assertThat(result.status()).isZero();
        assertThat(result.out()).contains("completed 0");
    }
}
