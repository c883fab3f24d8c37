package dev.windrow.tests.cli.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import dev.windrow.workflow.ParentPolicy;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Workflows from outside. */
class WorkflowTest extends CommandTest {
    private static final JobType<Json, Json> EXEC = JobType.raw("exec");

    private static JobRequest<Json, Json> exec(String script) {
        return EXEC.job(new Json("{\"command\":[\"sh\",\"-c\",\"" + script + "\"]}"))
                .withMaxAttempts(1);
    }

    private static List<String> ids(SubmittedWorkflow workflow) {
        return workflow.jobs().stream().map(job -> job.toString()).toList();
    }

    @Test
    void aWorkflowIsShownListedRetriedAndCancelledAsAWhole() {
        SubmittedWorkflow submitted;
        SubmittedWorkflow other;
        try (Windrow windrow = Windrow.open(target.newStore())) {
            Workflow flow = new Workflow();
            Workflow.Node<Json> first = flow.add(exec("true"));
            Workflow.Node<Json> bad = flow.add(exec("test -e there")).after(first);
            flow.add(exec("true")).after(bad);
            flow.add(exec("true")).after(ParentPolicy.RUN, bad);
            submitted = windrow.submit(flow);
            Workflow small = new Workflow();
            small.add(JobType.raw("nobody").job(new Json("1")));
            other = windrow.submit(small);
        }
        String id = Long.toString(submitted.id());
        List<String> jobs = ids(submitted);
        assertThat(cli.run("work", "--until-idle", "--allow-exec").status()).isZero();

        JsonNode status = cli.json("workflow", id, "--json");
        assertThat(status.toString())
                .isEqualTo("{\"id\":\"" + id + "\",\"finished\":false,\"jobs\":4,\"ended\":3,\"states\":{\"BLOCKED\":1,"
                        + "\"SCHEDULED\":0,\"PENDING\":0,\"RUNNING\":0,\"COMPLETED\":2,\"FAILED\":1,\"CANCELLED\":0},"
                        + "\"failed\":[\"" + jobs.get(1) + "\"]}");
        assertThat(cli.run("workflow", id).out())
                .contains("Workflow " + id, "3 of 4 jobs ended", "BLOCKED", "PROCESS:EXIT_1")
                .doesNotContain("CANCELLED");

        JsonNode history = cli.json("show", jobs.get(1), "--json");
        assertThat(history.get("workflow").asString()).isEqualTo(id);
        assertThat(history.get("awaitedBy").toString())
                .isEqualTo("[{\"id\":\"" + jobs.get(2) + "\",\"state\":\"BLOCKED\",\"onFailure\":\"wait\"},{\"id\":\""
                        + jobs.get(3) + "\",\"state\":\"COMPLETED\",\"onFailure\":\"run\"}]");
        assertThat(cli.run("show", jobs.get(1)).out())
                .containsPattern("workflow +" + id)
                .containsPattern("waits for +" + jobs.get(0) + " COMPLETED")
                .containsPattern("awaited by +" + jobs.get(2) + " BLOCKED, " + jobs.get(3) + " COMPLETED \\(run\\)");

        assertThat(cli.json("list", "--workflow", id, "--json").get("jobs")).hasSize(4);
        assertThat(cli.json("list", "--workflow", id, "--state", "FAILED", "--json")
                        .get("jobs"))
                .hasSize(1);
        assertThat(cli.json("list", "--workflow", Long.toString(other.id()), "--json")
                        .get("jobs"))
                .hasSize(1);

        assertThat(cli.run("enqueue", "exec", "--", "touch", "there").status()).isZero();
        assertThat(cli.run("work", "--until-idle", "--allow-exec").status()).isZero();
        assertThat(cli.json("retry", "--workflow", id, "--json").get("ids").toString())
                .isEqualTo("[\"" + jobs.get(1) + "\"]");
        assertThat(cli.run("work", "--until-idle", "--allow-exec").status()).isZero();
        assertThat(cli.run("workflow", id).out()).contains("finished");
        assertThat(cli.json("cancel", "--workflow", Long.toString(other.id()), "--json")
                        .get("changed")
                        .asInt())
                .isEqualTo(1);
        assertThat(cli.json("delete", "--workflow", Long.toString(other.id()), "--json")
                        .get("changed")
                        .asInt())
                .isEqualTo(1);
        assertThat(cli.run("doctor", "--full").status()).isZero();
    }

    @Test
    void workflowsAreListedNewestFirstPageByPage() {
        List<String> ids = new ArrayList<>();
        try (Windrow windrow = Windrow.open(target.newStore())) {
            for (int i = 0; i < 3; i++) {
                Workflow flow = new Workflow();
                Workflow.Node<Json> first = flow.add(exec("true").withName("name " + i));
                flow.add(exec("test -e there")).after(first);
                ids.add(0, Long.toString(windrow.submit(flow).id()));
            }
        }
        assertThat(cli.run("work", "--until-idle", "--allow-exec").status()).isZero();
        cli.json("retry", "--workflow", ids.get(2), "--json");
        JsonNode page = cli.json("workflow", "list", "--limit", "2", "--json");
        assertThat(page.get("workflows")
                        .valueStream()
                        .map(each -> each.get("id").asString()))
                .isEqualTo(ids.subList(0, 2));
        assertThat(page.get("next").asString()).isEqualTo(ids.get(1));
        assertThat(page.get("looked").asInt()).isEqualTo(2);
        JsonNode last = cli.json("workflow", "list", "--after", ids.get(1), "--json");
        assertThat(last.get("next").isNull()).isTrue();
        JsonNode oldest = last.get("workflows").get(0);
        assertThat(oldest.toString())
                .isEqualTo(
                        "{\"id\":\"" + ids.get(2) + "\",\"type\":\"exec\",\"name\":\"name 0\",\"createdAt\":\""
                                + oldest.get("createdAt").asString()
                                + "\",\"finished\":false,\"jobs\":2,\"ended\":1,\"states\":{\"BLOCKED\":0,\"SCHEDULED\":0,"
                                + "\"PENDING\":1,\"RUNNING\":0,\"COMPLETED\":1,\"FAILED\":0,\"CANCELLED\":0},\"capped\":false}");
        assertThat(cli.json("workflow", "list", "--unfinished", "--json").get("workflows"))
                .containsExactly(oldest);
        assertThat(cli.json("workflow", "list", "--failed", "--type", "exec", "--json")
                        .get("workflows"))
                .hasSize(2);
        assertThat(cli.run("workflow", "list", "--limit", "1").out())
                .contains("ENDED", "name 2", "next page: --after " + ids.get(0));
        assertThat(cli.run("workflow", "list", "--type", "missing").out()).contains("no matching workflows");
        for (String wrong : new String[] {
            "workflow 17 --failed", "workflow list --limit 0", "workflow list --after x", "workflow list 17"
        }) {
            assertThat(cli.run(wrong.split(" ")).status()).as(wrong).isEqualTo(2);
        }
    }

    @Test
    void aMissingWorkflowAndAWrongIdAreRefused() {
        String job = cli.enqueue("t");
        Result missing = cli.run("workflow", job);
        assertThat(missing.status()).isEqualTo(1);
        assertThat(missing.err()).contains("workflow " + job + " does not exist");
        for (String[] wrong : new String[][] {
            {"workflow", "x"},
            {"workflow", "0"},
            {"workflow"},
            {"list", "--workflow", "-1"},
            {"retry", "--workflow", ""}
        }) {
            assertThat(cli.run(wrong).status()).isEqualTo(2);
        }
    }
}
