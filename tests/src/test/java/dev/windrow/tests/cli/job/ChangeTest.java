package dev.windrow.tests.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow cancel} and {@code windrow retry} from outside. */
class ChangeTest extends CommandTest {
    @Test
    void jobsNamedByIdAreChangedAllOrNone() {
        String one = cli.enqueue("a");
        String two = cli.enqueue("a");
        Result refused = cli.run("cancel", one, two, "4711", "--json");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("4711");
        assertThat(refused.out()).isEmpty();
        assertThat(state(one)).isEqualTo("PENDING");

        JsonNode answer = cli.json("cancel", one, two, one, "--json");
        assertThat(answer.toString())
                .isEqualTo("{\"changed\":2,\"ids\":[\"%s\",\"%s\"],\"skipped\":0}".formatted(one, two));
        assertThat(state(one)).isEqualTo("CANCELLED");

        Result again = cli.run("cancel", one, "--json");
        assertThat(again.status()).isEqualTo(1);
        assertThat(again.err()).contains(one, "CANCELLED");

        assertThat(cli.json("retry", one, "--attempts", "7", "--json")
                        .get("changed")
                        .asInt())
                .isEqualTo(1);
        JsonNode history = cli.json("show", one, "--json");
        assertThat(history.get("state").asString()).isEqualTo("PENDING");
        assertThat(history.get("maxAttempts").asInt()).isEqualTo(7);
        assertThat(history.get("events")
                        .valueStream()
                        .map(event -> event.get("event").asString()))
                .containsExactly("ENQUEUED", "CANCELLED", "RETRIED");
        assertThat(cli.run("retry", one).status()).isEqualTo(1);
    }

    @Test
    void aFilterChangesEveryJobThatAllowsIt() throws IOException {
        Files.writeString(
                folder.resolve("jobs.jsonl"),
                "{\"type\":\"a\"}\n".repeat(120) + "{\"type\":\"b\"}\n" + "{\"type\":\"a\",\"queue\":\"q\"}\n");
        cli.json("enqueue", "--file", "jobs.jsonl", "--json");
        JsonNode dry = cli.json("cancel", "--type", "a", "--queue", "default", "--dry-run", "--json");
        assertThat(dry.get("changed").asInt()).isEqualTo(120);
        assertThat(dry.get("ids")).hasSize(100);
        assertThat(cli.json("stats", "--json").at("/states/CANCELLED").asInt()).isZero();

        JsonNode real = cli.json("cancel", "--type", "a", "--queue", "default", "--json");
        assertThat(real.get("changed").asInt()).isEqualTo(120);
        assertThat(real.get("ids").toString()).isEqualTo(dry.get("ids").toString());
        assertThat(cli.json("stats", "--json").at("/states/CANCELLED").asInt()).isEqualTo(120);

        assertThat(cli.json("retry", "--state", "CANCELLED", "--json")
                        .get("changed")
                        .asInt())
                .isEqualTo(120);
        assertThat(cli.json("stats", "--json").at("/states/PENDING").asInt()).isEqualTo(122);
    }

    @Test
    void aFilterWithoutMatchesChangesNothingAndSucceeds() {
        cli.enqueue("a");
        for (String verb : new String[] {"cancel", "retry"}) {
            assertThat(cli.json(verb, "--type", "nosuch", "--json").toString())
                    .isEqualTo("{\"changed\":0,\"ids\":[],\"skipped\":0}");
        }
        assertThat(cli.json("retry", "--error-code", "PROCESS:EXIT_1", "--json")
                        .get("changed")
                        .asInt())
                .isZero();
    }

    @Test
    void aChangeOfAJobAtAnotherVersionIsRefused() {
        String id = cli.enqueue("a", "--delay", "1h");
        String seen = version(id);
        cli.json("metadata", id, "{\"by\":\"another operator\"}", "--json");
        JsonNode now = cli.json("show", id, "--json");
        for (String change : new String[] {
            "retry ID",
            "cancel ID",
            "trigger ID",
            "delete ID",
            "complete ID",
            "fail ID --error-code A:B",
            "signal ID paid",
            "metadata ID {}"
        }) {
            String[] words = (change.replace("ID", id) + " --json --if-version " + seen).split(" ");
            Result refused = cli.run(words);
            assertThat(refused.status()).as(change).isEqualTo(1);
            assertThat(refused.out()).isEmpty();
            assertThat(refused.err())
                    .contains("job " + id + " has changed meanwhile: it is SCHEDULED at version "
                            + now.get("version").asString() + ", not at version " + seen);
        }
        assertThat(cli.json("show", id, "--json")).isEqualTo(now);
        assertThat(cli.run("show", id).out()).contains(now.get("version").asString());

        for (String change : new String[] {
            "metadata ID {}",
            "signal ID paid",
            "trigger ID",
            "cancel ID",
            "retry ID",
            "fail ID --error-code A:B",
            "retry ID",
            "complete ID",
            "delete ID"
        }) {
            String[] words = (change.replace("ID", id) + " --json --if-version " + version(id)).split(" ");
            assertThat(cli.run(words).status()).as(change).isZero();
        }
        assertThat(cli.run("show", id).status()).isEqualTo(1);
    }

    private String version(String id) {
        return cli.json("show", id, "--json").get("version").asString();
    }

    @Test
    void aVersionIsForAChangeOfOneJob() {
        String id = cli.enqueue("a");
        for (String wrong :
                new String[] {"cancel ID ID2", "cancel --type a", "cancel ID --dry-run", "retry", "metadata ID"}) {
            String[] words = (wrong.replace("ID2", "4711").replace("ID", id) + " --if-version 1").split(" ");
            assertThat(cli.run(words).status()).as(wrong).isEqualTo(2);
        }
        for (String wrong : new String[] {"-1", "x", "", "9223372036854775808"}) {
            Result refused = cli.run("cancel", id, "--if-version", wrong);
            assertThat(refused.status()).as(wrong).isEqualTo(2);
            assertThat(refused.err()).contains("0 to 9223372036854775807");
        }
        assertThat(cli.json("cancel", "--key", "k", "--type", "a", "--if-version", version(keyed()), "--json")
                        .get("changed")
                        .asInt())
                .isEqualTo(1);
    }

    private String keyed() {
        return cli.enqueue("a", "--dedupe-key", "k");
    }

    @Test
    void aDryRunOfNamedJobsChecksThem() {
        String id = cli.enqueue("a");
        assertThat(cli.json("cancel", id, "--dry-run", "--json").get("changed").asInt())
                .isEqualTo(1);
        assertThat(state(id)).isEqualTo("PENDING");
        Result refused = cli.run("retry", id, "--dry-run", "--json");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains(id, "PENDING");
    }

    @Test
    void dependentsThatAParentCancelledAreRetriedWithItOnRequest() throws IOException {
        String parent = cli.enqueue("a");
        String child = cli.enqueue("b", "--depends-on", parent, "--on-parent-failure", "cancel");
        Files.writeString(
                folder.resolve("below.jsonl"),
                "{\"type\":\"c\",\"dependsOn\":[\"%s\"],\"onParentFailure\":\"cancel\"}%n".formatted(child));
        cli.json("enqueue", "--file", "below.jsonl", "--json");
        cli.json("cancel", parent, "--json");
        assertThat(cli.json("stats", "--json").at("/states/CANCELLED").asInt()).isEqualTo(3);
        JsonNode last = cli.json("show", child, "--json").get("events").get(1);
        assertThat(last.at("/detail/reason").asString()).isEqualTo("parent " + parent + " CANCELLED");
        Result alone = cli.run("retry", child);
        assertThat(alone.status()).isEqualTo(1);
        assertThat(alone.err()).contains("its parent, job " + parent + ", is CANCELLED", "with its dependents");
        Result late = cli.run("enqueue", "b", "--depends-on", parent, "--on-parent-failure", "cancel");
        assertThat(late.status()).isEqualTo(2);
        assertThat(late.err()).contains("parent " + parent + " is CANCELLED already");

        JsonNode dry = cli.json("retry", parent, "--with-dependents", "--dry-run", "--json");
        assertThat(dry.get("changed").asInt()).isEqualTo(3);
        assertThat(state(parent)).isEqualTo("CANCELLED");
        assertThat(cli.json("retry", parent, "--json").get("changed").asInt()).isEqualTo(1);
        assertThat(state(child)).isEqualTo("CANCELLED");
        cli.json("cancel", parent, "--json");
        JsonNode all = cli.json("retry", "--type", "a", "--with-dependents", "--json");
        assertThat(all.get("changed").asInt()).isEqualTo(3);
        assertThat(state(parent)).isEqualTo("PENDING");
        assertThat(cli.json("stats", "--json").at("/states/BLOCKED").asInt()).isEqualTo(2);
        cli.json("cancel", parent, "--json");
        assertThat(cli.json("retry", parent, "--with-dependents", "--json")
                        .get("ids")
                        .get(1)
                        .asString())
                .isEqualTo(child);
    }

    @Test
    void aRunningJobIsCancelledInItsProcess() throws Exception {
        String id = cli.enqueue("exec", "--", "sh", "-c", "echo $$ >begun.tmp; mv begun.tmp begun; exec sleep 600");
        Cli.Running worker = cli.start("work", "--allow-exec", "--until-idle", "--json");
        long pid = Long.parseLong(Cli.contentOf(folder.resolve("begun")));
        assertThat(cli.json("cancel", id, "--dry-run", "--json").get("changed").asInt())
                .isEqualTo(1);
        assertThat(state(id)).isEqualTo("RUNNING");
        assertThat(cli.json("cancel", id, "--json").toString())
                .isEqualTo("{\"changed\":1,\"ids\":[\"%s\"],\"skipped\":0}".formatted(id));
        Cli.Result result = worker.end();
        assertThat(result.status()).isZero();
        assertThat(result.json().toString())
                .isEqualTo(
                        "{\"completed\":0,\"failed\":0,\"cancelled\":1,\"retried\":0,\"snoozed\":0,\"parked\":0,\"handedBack\":0}");
        Cli.assertEnds(pid);
        JsonNode history = cli.json("show", id, "--json");
        assertThat(history.get("state").asString()).isEqualTo("CANCELLED");
        assertThat(history.at("/attempts/0/outcome").asString()).isEqualTo("CANCELLED");
        assertThat(history.get("events")
                        .valueStream()
                        .map(event -> event.get("event").asString()))
                .containsExactly("ENQUEUED", "CLAIMED", "STARTED", "CANCEL_REQUESTED", "CANCELLED");
        assertThat(cli.run("cancel", id).err()).contains(id, "CANCELLED");
    }
}
