package dev.windrow.tests.docs.workflow;

import static java.time.Duration.ofSeconds;

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

/** The code of docs/how-to/workflows.md. The lines outside of methods are one method, in the order of the page. */
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

    // region results
    static Report report(String book, JobContext job) {
        int words = 0;
        int missing = 0;
        for (ParentOutcome page : job.parents()) { // all are COUNT jobs
            if (page.state() == JobState.COMPLETED) {
                words += job.result(page, COUNT).count();
            } else {
                missing++; // failed or cancelled
            }
        }
        return new Report(book, words, missing);
    }
    // endregion

    /** The outcome of the page's lines: the jobs, and a status and a list from before the worker. */
    record Seen(
            Enqueued<Report> report,
            SubmittedWorkflow submitted,
            String line,
            List<WorkflowInfo> workflows,
            Report result,
            SubmittedWorkflow nested,
            Worker worker) {}

    static Seen page(Windrow windrow) {
        // region depend
        JobRef<Imported> imported = windrow.enqueue(IMPORT, "faust.pdf");
        JobRef<Words> title =
                windrow.enqueue(COUNT.job(new Page("faust.pdf", 1)).withParents(imported));
        JobRef<Words> text = windrow.enqueue(COUNT.job(new Page("faust.pdf", 2)).withParents(imported));

        Enqueued<Report> report = windrow.enqueue(REPORT.job("faust.pdf")
                .withParents(text) // waits for its success
                .withParents(ParentPolicy.RUN, title)); // waits for its end
        // endregion

        // region workflow
        Workflow flow = new Workflow();
        Workflow.Node<Imported> start = flow.add(IMPORT, "werther.pdf");

        List<JobRequest<Page, Words>> counts = new ArrayList<>();
        for (int number = 1; number <= 3; number++) {
            counts.add(COUNT.job(new Page("werther.pdf", number)).withName("page " + number));
        }
        Workflow.Batch<Report> batch = flow.batch(counts, REPORT.job("werther.pdf")); // runs when all pages have ended
        batch.after(start); // each page waits for the import

        SubmittedWorkflow submitted = windrow.submit(flow); // all of it or nothing
        JobRef<Report> callback = submitted.job(batch);
        System.out.println("workflow " + submitted.id() + " ends with job " + callback);
        // endregion

        // region status
        WorkflowStatus status = windrow.workflow(submitted.id()).orElseThrow();
        BatchProgress pages = windrow.job(callback).batch();
        String line = "%d of %d jobs, %d of %d pages, %d failed"
                .formatted(status.ended(), status.jobs(), pages.ended(), pages.jobs(), status.count(JobState.FAILED));
        // endregion

        // region change
        windrow.jobs(JobFilter.failed().withWorkflow(submitted.id())).retry();
        // endregion

        // region list
        WorkflowPage newest = windrow.workflows(WorkflowFilter.ALL.withUnfinished())
                .limit(20)
                .page(); // next page: after(newest.next())
        for (WorkflowInfo each : newest.workflows()) {
            WorkflowStatus jobs = each.status();
            System.out.println(each.id() + ": " + jobs.ended() + " of " + jobs.jobs() + " jobs");
        }
        // endregion

        // region typed
        Worker worker = windrow.worker()
                .handle(IMPORT, (book, job) -> new Imported("/books/" + book, 3))
                .handle(COUNT, (page, job) -> {
                    Imported book = job.parentResult(IMPORT); // its only parent of this type
                    return new Words(page.number(), book.folder().length());
                })
                .handle(REPORT, (book, job) -> report(book, job))
                .start();
        Report result = windrow.await(callback, ofSeconds(30));
        // endregion

        SubmittedWorkflow nested = nest(windrow, imported);
        return new Seen(report, submitted, line, newest.workflows(), result, nested, worker);
    }

    static int strict(JobContext job) {
        // region all
        int words = 0;
        for (Words page : job.parentResults(COUNT)) {
            words += page.count();
        }
        Words first = job.parentResult(0, COUNT); // parent 0 of all, a COUNT job
        // endregion
        return words - first.count();
    }

    static long bringBack(Windrow windrow) {
        // region dependents
        long back = windrow.jobs(JobFilter.failed().withType(IMPORT))
                .retry(Retry.keepingAttempts().withDependents())
                .count();
        // endregion
        return back;
    }

    private static SubmittedWorkflow nest(Windrow windrow, JobRef<Imported> imported) {
        // region nest
        Workflow parts = new Workflow();
        Workflow.Batch<Report> first = parts.batch(List.of(COUNT.job(new Page("faust.pdf", 3))), REPORT.job("part 1"));
        Workflow.Batch<Report> second = parts.batch(List.of(COUNT.job(new Page("faust.pdf", 4))), REPORT.job("part 2"));
        first.after(imported); // a stored job
        second.after(imported);
        second.after(ParentPolicy.RUN, first); // begins when the callback of the first has ended
        parts.add(COUNT.job(new Page("faust.pdf", 5))).after(imported).after(first, second);
        SubmittedWorkflow nested = windrow.submit(parts);
        // endregion
        return nested;
    }
}
