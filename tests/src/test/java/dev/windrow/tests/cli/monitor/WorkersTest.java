package dev.windrow.tests.cli.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Running;
import dev.windrow.tests.cli.CommandTest;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow workers} from outside. */
class WorkersTest extends CommandTest {
    @Test
    void workersListsLiveWorkersAndTheirJobs() throws IOException {
        String id = cli.enqueuePatient("--queue", "mail");
        Running worker =
                cli.start("work", "--allow-exec", "--queue", "mail", "--queue", "default", "--concurrency", "3");
        Cli.contentOf(folder.resolve("started"));

        // The program runs a moment before its start is in the store: the worker does not wait for that.
        JsonNode answer = await().atMost(Cli.DEADLINE)
                .until(
                        () -> cli.json("workers", "--json"),
                        read -> read.at("/workers/0/running").size() == 1);
        assertThat(answer.propertyNames()).containsExactly("workers");
        assertThat(answer.get("workers")).singleElement().satisfies(alive -> {
            assertThat(alive.propertyNames())
                    .contains(
                            "id",
                            "host",
                            "pid",
                            "version",
                            "queues",
                            "slots",
                            "busy",
                            "claimedAhead",
                            "running",
                            "heartbeatAt");
            assertThat(alive.get("pid").asLong()).isEqualTo(worker.process().pid());
            assertThat(alive.get("minPriority").isNull()).isTrue();
            assertThat(alive.get("slots").asInt()).isEqualTo(3);
            assertThat(alive.get("busy").asInt()).isEqualTo(1);
            assertThat(alive.get("claimedAhead").asInt()).isZero();
            assertThat(alive.get("queues").toString()).contains("\"mail\"", "\"default\"");
            assertThat(alive.get("running").toString()).isEqualTo("[\"" + id + "\"]");
            assertThat(alive.get("heartbeatAt").asString())
                    .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
            assertThat(alive.get("id").asString())
                    .isEqualTo(cli.json("show", id, "--json").get("worker").asString());
        });
        assertThat(cli.run("workers").out())
                .contains(
                        "mail",
                        "1 of 3 busy",
                        id,
                        String.valueOf(worker.process().pid()));

        Files.createFile(folder.resolve("go"));
        worker.signal("TERM");
        assertThat(worker.end().status()).isZero();
        assertThat(cli.json("workers", "--json").toString())
                .as("after a clean stop")
                .isEqualTo("{\"workers\":[]}");
        assertThat(cli.run("workers").out()).isEqualTo("no worker is alive\n");
    }

    @Test
    void theMinimumPriorityOfAWorkerIsShown() {
        Running worker =
                cli.start("work", "--allow-exec", "--min-priority", "-5").said("is running");
        assertThat(cli.json("workers", "--json").at("/workers/0/minPriority").asInt())
                .isEqualTo(-5);
        assertThat(cli.run("workers").out()).contains("default (priority -5 or more)");
        worker.signal("TERM");
        assertThat(worker.end().status()).isZero();
    }
}
