package dev.windrow.tests.docs.workflow;

import dev.windrow.Enqueued;
import dev.windrow.JobContext;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Retry;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.query.JobFilter;
import dev.windrow.workflow.BatchProgress;
import dev.windrow.workflow.ParentOutcome;
import dev.windrow.workflow.ParentPolicy;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import dev.windrow.workflow.WorkflowFilter;
import dev.windrow.workflow.WorkflowInfo;
import dev.windrow.workflow.WorkflowPage;
import dev.windrow.workflow.WorkflowStatus;
import java.util.ArrayList;
import java.util.List;

/** The code of docs/how-to/workflows.md. */
final class WorkflowsSnippet {
    private WorkflowsSnippet() {}

    // region types
    record Imported(String folder, int pages) {}

    record Page(String file, int number) {}

    record Words(int page, int count) {}

    record Report(String folder, int words, int missing) {}

    static final JobType<String, Imported> IMPORT = JobType.of("book.import", String.class, Imported.class);
    static final JobType<Page, Words> COUNT = JobType.of("page.count", Page.class, Words.class);
    static final JobType<String, Report> REPORT = JobType.of("book.report", String.class, Report.class);
    // endregion

    static Enqueued<Report> depend(Windrow windrow) {
        // region depend
        JobRef<Imported> imported = windrow.enqueue(IMPORT, "faust.pdf");
        JobRef<Words> title =
                windrow.enqueue(COUNT.job(new Page("faust.pdf", 1)).withParents(imported));

        Enqueued<Report> report = windrow.enqueue(REPORT.job("faust.pdf")
                .withParents(imported) // waits for its success
                .withParents(ParentPolicy.RUN, title)); // waits for its end
        // endregion
        return report;
    }

    // region workflow
    static SubmittedWorkflow count(Windrow windrow, String book, int pages) {
        Workflow flow = new Workflow();
        Workflow.Node<Imported> imported = flow.add(IMPORT, book);

        List<JobRequest<Page, Words>> counts = new ArrayList<>();
        for (int page = 1; page <= pages; page++) {
            counts.add(COUNT.job(new Page(book, page)).withName("page " + page));
        }
        Workflow.Batch<Report> report = flow.batch(counts, REPORT.job(book)); // runs when all pages have ended
        report.after(imported); // each page waits for the import

        SubmittedWorkflow submitted = windrow.submit(flow); // all of it or nothing
        JobRef<Report> last = submitted.job(report);
        System.out.println("workflow " + submitted.id() + " ends with job " + last);
        return submitted;
    }
    // endregion

    // region results
    static Report report(String book, JobContext job) {
        int words = 0;
        int missing = 0;
        for (ParentOutcome parent : job.parents()) {
            if (parent.state() == JobState.COMPLETED) {
                words += job.result(parent, COUNT).count();
            } else {
                missing++; // failed or cancelled: the callback runs anyway
            }
        }
        return new Report(book, words, missing);
    }
    // endregion

    static Worker.Builder work(Windrow windrow) {
        // region typed
        Worker.Builder worker = windrow.worker()
                .handle(IMPORT, (book, job) -> new Imported("/books/" + book, 3))
                .handle(COUNT, (page, job) -> {
                    Imported imported = job.parentResult(IMPORT); // the single parent of this type
                    return new Words(page.number(), imported.folder().length());
                })
                .handle(REPORT, WorkflowsSnippet::report);
        // endregion
        return worker;
    }

    static int strict(JobContext job) {
        // region all
        int words = 0;
        for (Words page : job.parentResults(COUNT)) {
            words += page.count();
        }
        Words first = job.parentResult(0, COUNT);
        // endregion
        return words - first.count();
    }

    static String status(Windrow windrow, SubmittedWorkflow submitted, Workflow.Node<Report> report) {
        // region status
        WorkflowStatus status = windrow.workflow(submitted.id()).orElseThrow();
        BatchProgress pages = windrow.job(submitted.job(report)).batch();
        String line = "%d of %d jobs, %d of %d pages, %d failed"
                .formatted(status.ended(), status.jobs(), pages.ended(), pages.jobs(), status.count(JobState.FAILED));
        // endregion
        return line;
    }

    static void change(Windrow windrow, SubmittedWorkflow submitted) {
        // region change
        windrow.jobs(JobFilter.workflow(submitted.id())).cancel();
        windrow.jobs(JobFilter.workflow(submitted.id())).retry();
        // endregion
    }

    static List<WorkflowInfo> list(Windrow windrow) {
        // region list
        WorkflowPage page = windrow.workflows(WorkflowFilter.ALL.withUnfinished())
                .limit(20)
                .page(); // next page: after(page.next())
        for (WorkflowInfo each : page.workflows()) {
            WorkflowStatus counts = each.status();
            System.out.println(each.id() + ": " + counts.ended() + " of " + counts.jobs() + " jobs");
        }
        // endregion
        return page.workflows();
    }

    static long bringBack(Windrow windrow, JobRef<Imported> imported) {
        // region dependents
        long back = windrow.job(imported)
                        .retry(Retry.keepingAttempts().withDependents())
                        .count()
                + windrow.jobs(JobFilter.inState(JobState.FAILED))
                        .retry(Retry.keepingAttempts().withDependents())
                        .count();
        // endregion
        return back;
    }

    static SubmittedWorkflow nest(Windrow windrow, JobRef<?> licence) {
        // region nest
        Workflow flow = new Workflow();
        Workflow.Batch<Report> first = flow.batch(List.of(COUNT.job(new Page("one.pdf", 1))), REPORT.job("one.pdf"));
        Workflow.Batch<Report> second = flow.batch(List.of(COUNT.job(new Page("two.pdf", 1))), REPORT.job("two.pdf"));
        first.after(licence); // a stored job
        second.after(ParentPolicy.RUN, first); // the second batch begins when the callback of the first has ended
        flow.add(REPORT.job("both")).after(first, second);
        // endregion
        return windrow.submit(flow);
    }
}
