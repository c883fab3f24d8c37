package dev.windrow.tests.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Worker;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.monitor.SuggestField;
import dev.windrow.payload.Json;
import dev.windrow.wire.MonitorJson;
import dev.windrow.wire.WorkflowJson;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import dev.windrow.workflow.WorkflowFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Workflows, the audit, throughput and names over HTTP, in the forms of the command line. */
class ListingsTest extends HttpTest {
    @Test
    void workflowsAreListedPageByPage() {
        List<String> ids = new ArrayList<>();
        List<JobRef<?>> jobs = new ArrayList<>();
        for (String type : List.of("scan", "report", "scan")) {
            Workflow flow = new Workflow();
            flow.add(JobType.raw(type).job(new Json("1")).withName("the " + type));
            SubmittedWorkflow submitted = windrow.submit(flow);
            ids.add(0, Long.toString(submitted.id()));
            jobs.add(0, submitted.jobs().get(0));
        }
        assertThat(get("viewer", "workflows").is(200).text())
                .isEqualTo(
                        WorkflowJson.page(windrow.workflows(WorkflowFilter.ALL).page()) + "\n");
        JsonNode first = get("viewer", "workflows?limit=2").is(200).json();
        assertThat(ids(first)).isEqualTo(ids.subList(0, 2));
        assertThat(first.at("/workflows/1/name").asString()).isEqualTo("the report");
        JsonNode second = get(
                        "viewer", "workflows?limit=2&after=" + first.get("next").asString())
                .json();
        assertThat(ids(second)).isEqualTo(ids.subList(2, 3));
        assertThat(second.get("next").isNull()).isTrue();
        assertThat(ids(get("viewer", "workflows?type=report").json())).containsExactly(ids.get(1));

        windrow.job(jobs.get(0)).fail("A:B");
        windrow.job(jobs.get(1)).complete();
        assertThat(ids(get("viewer", "workflows?failed=true").json())).containsExactly(ids.get(0));
        assertThat(ids(get("viewer", "workflows?unfinished=true").json())).containsExactly(ids.get(2));
        assertThat(ids(get("viewer", "workflows?unfinished=true&failed=true").json()))
                .isEmpty();
    }

    private static List<String> ids(JsonNode page) {
        return page.get("workflows")
                .valueStream()
                .map(workflow -> workflow.get("id").asString())
                .toList();
    }

    @Test
    void theAuditIsReadPageByPage() {
        for (int i = 0; i < 5; i++) {
            windrow.as("alice").because("ticket " + i).job(enqueue("a")).cancel();
        }
        assertThat(get("viewer", "audit").is(200).text())
                .isEqualTo(MonitorJson.audit(
                                windrow.monitor().audit(AuditFilter.ALL).page())
                        + "\n");
        List<String> reasons = new ArrayList<>();
        String after = "";
        do {
            JsonNode page =
                    get("viewer", "audit?actor=alice&limit=2" + after).is(200).json();
            page.get("audit")
                    .valueStream()
                    .forEach(entry -> reasons.add(entry.get("reason").asString()));
            // A new entry neither repeats nor hides another one.
            windrow.as("alice").because("later").job(enqueue("a")).cancel();
            after = page.get("next").isNull()
                    ? null
                    : "&after=" + page.get("next").asString();
        } while (after != null);
        assertThat(reasons).containsExactly("ticket 4", "ticket 3", "ticket 2", "ticket 1", "ticket 0");
    }

    @Test
    void throughputIsFilteredByTypeAndQueue() throws Exception {
        enqueue("a", "mail");
        enqueue("a", "billing");
        enqueue("b", "mail");
        try (Worker worker = windrow.worker()
                .queue("mail")
                .queue("billing")
                .handle(JobType.raw("a"), (input, context) -> input)
                .handle(JobType.raw("b"), (input, context) -> input)
                .start()) {
            assertThat(worker.awaitIdle(Duration.ofSeconds(30))).isTrue();
        }
        // The sums are written about once a second.
        await().atMost(Duration.ofSeconds(30)).until(() -> succeeded("") == 3);
        assertThat(succeeded("?type=a")).isEqualTo(2);
        assertThat(succeeded("?queue=mail&window=5m")).isEqualTo(2);
        assertThat(succeeded("?queue=mail&type=b")).isEqualTo(1);
        assertThat(succeeded("?queue=nosuch")).isZero();
        JsonNode throughput = get("viewer", "throughput?type=a").json().get("throughput");
        assertThat(throughput.get("minutes")).hasSize(60);
        assertThat(throughput.get("hours")).hasSize(24);
        assertThat(throughput.at("/hours/23").has("waitP95Millis")).isTrue();
        assertThat(throughput.get("types")).hasSize(1);
    }

    private int succeeded(String query) {
        return get("viewer", "throughput" + query)
                .is(200)
                .json()
                .at("/timesInAll/succeeded")
                .asInt();
    }

    @Test
    void namesAreSuggestedByTheirBeginning() {
        for (String type : List.of("mail.send", "mail.bounce", "image")) {
            enqueue(type, type);
        }
        assertThat(names("field=type&prefix=mail.")).containsExactly("mail.bounce", "mail.send");
        assertThat(names("field=queue&prefix=mail.&limit=1")).containsExactly("mail.bounce");
        assertThat(names("field=type")).isEqualTo(windrow.monitor().suggest(SuggestField.TYPE, ""));
        assertThat(names("field=type&prefix=Mail")).isEmpty();
        assertThat(names("field=type&prefix=%25")).isEmpty();
        for (String field : List.of("tag", "error-code", "worker", "schedule")) {
            assertThat(names("field=" + field)).as(field).isEmpty();
        }
    }

    private List<String> names(String query) {
        return get("viewer", "suggest?" + query)
                .is(200)
                .json()
                .get("names")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }
}
