package dev.windrow.tests.docs.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Enqueued;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
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
    void aBookIsImportedAndItsReportCountsAllPages() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            SubmittedWorkflow submitted = WorkflowsSnippet.count(windrow, "faust.pdf", 3);
            Workflow.Node<WorkflowsSnippet.Report> report = report(submitted);
            assertThat(WorkflowsSnippet.status(windrow, submitted, report))
                    .isEqualTo("0 of 5 jobs, 0 of 3 pages, 0 failed");
            assertThat(WorkflowsSnippet.list(windrow))
                    .extracting(WorkflowInfo::id)
                    .containsExactly(submitted.id());
            try (Worker worker = WorkflowsSnippet.work(windrow).start()) {
                assertThat(worker.name()).isNotEmpty();
                assertThat(windrow.await(submitted.job(report), PATIENCE))
                        .isEqualTo(new WorkflowsSnippet.Report("faust.pdf", 3 * "/books/faust.pdf".length(), 0));
            }
            assertThat(WorkflowsSnippet.status(windrow, submitted, report))
                    .isEqualTo("5 of 5 jobs, 3 of 3 pages, 0 failed");
            assertThat(WorkflowsSnippet.list(windrow)).isEmpty();
        }
    }

    @Test
    void dependenciesNestedBatchesAndWorkflowChangesWorkAsDescribed() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            Enqueued<WorkflowsSnippet.Report> report = WorkflowsSnippet.depend(windrow);
            assertThat(report.state()).isEqualTo(JobState.BLOCKED);
            SubmittedWorkflow nested = WorkflowsSnippet.nest(windrow, report);
            assertThat(nested.jobs()).extracting(Enqueued::state).containsOnly(JobState.BLOCKED);
            WorkflowsSnippet.change(windrow, nested);
            assertThat(windrow.workflow(nested.id()).orElseThrow().count(JobState.CANCELLED))
                    .isZero();
            try (Worker worker = windrow.worker()
                    .handle(WorkflowsSnippet.IMPORT, (book, job) -> new WorkflowsSnippet.Imported(book, 1))
                    .handle(WorkflowsSnippet.COUNT, (page, job) -> new WorkflowsSnippet.Words(1, 1))
                    .handle(WorkflowsSnippet.REPORT, (book, job) -> new WorkflowsSnippet.Report(book, 1, 0))
                    .start()) {
                assertThat(worker.name()).isNotEmpty();
                for (JobRef<?> job : nested.jobs()) {
                    assertThat(windrow.await(job, PATIENCE)).isNotNull();
                }
            }
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
            assertThat(WorkflowsSnippet.bringBack(windrow, books.get(0))).isEqualTo(4);
            assertThat(windrow.monitor().statistics().states())
                    .containsEntry(JobState.PENDING, 2L)
                    .containsEntry(JobState.BLOCKED, 2L);
        }
    }

    @SuppressWarnings("unchecked") // It is the last step of that workflow.
    private static Workflow.Node<WorkflowsSnippet.Report> report(SubmittedWorkflow submitted) {
        Workflow flow = submitted.workflow();
        return (Workflow.Node<WorkflowsSnippet.Report>)
                flow.nodes().get(flow.nodes().size() - 1);
    }
}
