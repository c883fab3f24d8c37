package dev.windrow.tests.docs.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.query.JobFilter;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import dev.windrow.workflow.ParentPolicy;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import dev.windrow.workflow.WorkflowInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Compiles and runs the code of docs/how-to/workflows.md. */
@OnEachStore
class WorkflowsDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/workflow/WorkflowsSnippet.java";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/workflows.md"))
                .containsAll(Docs.regions(CODE))
                .hasSizeGreaterThan(7);
    }

    @Test
    void theLinesOfThePageWorkInItsOrder() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            WorkflowsSnippet.Seen seen = WorkflowsSnippet.page(windrow);
            try (Worker worker = seen.worker()) {
                assertThat(worker.name()).isNotEmpty();
                assertThat(seen.report().state()).isEqualTo(JobState.BLOCKED);
                assertThat(windrow.await(seen.report(), PATIENCE))
                        .isEqualTo(new WorkflowsSnippet.Report("faust.pdf", 2 * "/books/faust.pdf".length(), 0));
                assertThat(seen.line()).isEqualTo("0 of 5 jobs, 0 of 3 pages, 0 failed");
                assertThat(seen.workflows())
                        .extracting(WorkflowInfo::id)
                        .containsExactly(seen.submitted().id());
                assertThat(seen.result())
                        .isEqualTo(new WorkflowsSnippet.Report("werther.pdf", 3 * "/books/werther.pdf".length(), 0));
                for (JobRef<?> job : seen.nested().jobs()) {
                    assertThat(windrow.await(job, PATIENCE)).isNotNull();
                }
            }
        }
    }

    @Test
    void theCallbackOfACancelledWorkflowDoesNotWaitAgain() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            Workflow flow = new Workflow();
            Workflow.Node<WorkflowsSnippet.Imported> start = flow.add(WorkflowsSnippet.IMPORT, "faust.pdf");
            Workflow.Batch<WorkflowsSnippet.Report> batch = flow.batch(
                    List.of(WorkflowsSnippet.COUNT.job(new WorkflowsSnippet.Page("faust.pdf", 1))),
                    WorkflowsSnippet.REPORT.job("faust.pdf"));
            batch.after(start);
            SubmittedWorkflow submitted = windrow.submit(flow);
            windrow.jobs(JobFilter.workflow(submitted.id())).cancel();
            windrow.jobs(JobFilter.workflow(submitted.id())).retry();
            assertThat(windrow.job(submitted.job(batch)).info().state()).isEqualTo(JobState.PENDING);
            assertThat(windrow.job(submitted.job(batch.members().get(0))).info().state())
                    .isEqualTo(JobState.BLOCKED);
        }
    }

    @Test
    void dependentsCancelledByAFailedParentAreRetriedWithIt() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            List<JobRef<WorkflowsSnippet.Imported>> books = new ArrayList<>();
            for (String title : List.of("faust.pdf", "werther.pdf")) {
                books.add(windrow.enqueue(WorkflowsSnippet.IMPORT, title));
                windrow.enqueue(WorkflowsSnippet.REPORT
                        .job(title)
                        .withParents(ParentPolicy.CANCEL, List.of(books.get(books.size() - 1))));
            }
            for (JobRef<?> book : books) {
                windrow.job(book).fail("TEST:FAILED", "no such book");
            }
            assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.CANCELLED, 2L);
            assertThat(WorkflowsSnippet.bringBack(windrow)).isEqualTo(4);
            assertThat(windrow.monitor().statistics().states())
                    .containsEntry(JobState.PENDING, 2L)
                    .containsEntry(JobState.BLOCKED, 2L);
        }
    }
}
