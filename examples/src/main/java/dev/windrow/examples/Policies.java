package dev.windrow.examples;

import static java.time.Duration.ofSeconds;

import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Retry;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.workflow.ParentOutcome;
import dev.windrow.workflow.ParentPolicy;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import dev.windrow.workflow.WorkflowStatus;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A workflow with a failed step, and the three policies for the steps after it. One is cancelled, one runs anyway, and one waits until an operator
 * has fixed the failure.
 */
public final class Policies {
    /** The states of the steps after the failure, the report at that time, and the end of the workflow. */
    record Outcome(JobState published, JobState archived, String report, WorkflowStatus end) {}

    static final JobType<String, String> BUILD = JobType.of("release.build", String.class, String.class);
    static final JobType<String, Void> TEST = JobType.of("release.test", String.class);
    static final JobType<String, Void> PUBLISH = JobType.of("release.publish", String.class);
    static final JobType<String, Void> ARCHIVE = JobType.of("release.archive", String.class);
    static final JobType<String, String> REPORT = JobType.of("release.report", String.class, String.class);

    private Policies() {}

    /** Runs it, with its jobs in a new file, or in the store that the argument names. */
    public static void main(String... args) throws Exception {
        try (Windrow windrow = Place.open(args)) {
            System.out.println(run(windrow));
        }
    }

    static Outcome run(Windrow windrow) {
        Workflow flow = new Workflow();
        Workflow.Node<String> build = flow.add(BUILD, "2.0");
        Workflow.Node<Void> test = flow.add(TEST, "2.0");
        Workflow.Node<Void> publish = flow.add(PUBLISH, "2.0");
        Workflow.Node<Void> archive = flow.add(ARCHIVE, "2.0");
        Workflow.Node<String> report = flow.add(REPORT, "2.0");
        test.after(build);
        publish.after(ParentPolicy.CANCEL, test); // a release that failed its test must never be published
        archive.after(ParentPolicy.WAIT, test); // it is archived once the test has passed
        report.after(ParentPolicy.RUN, test); // the release manager wants the report in any case

        SubmittedWorkflow submitted = windrow.submit(flow); // all of it or nothing
        System.out.println(
                "Workflow " + submitted.id() + " has " + submitted.jobs().size() + " jobs");

        AtomicBoolean fixed = new AtomicBoolean();
        try (Worker worker = windrow.worker()
                .handle(BUILD, (version, job) -> "app-" + version + ".jar")
                .handleVoid(TEST, (version, job) -> test(job.parentResult(BUILD), fixed.get()))
                .handleVoid(PUBLISH, (version, job) -> System.out.println("publishes " + version))
                .handleVoid(ARCHIVE, (version, job) -> System.out.println("archives " + version))
                .handle(REPORT, Policies::report)
                .start()) {
            System.out.println(worker.name() + " works");
            String said = Objects.requireNonNull(windrow.await(submitted.job(report), ofSeconds(30)));
            JobState published = state(windrow, submitted, publish);
            JobState archived = state(windrow, submitted, archive);
            System.out.println(said + "; publish is " + published + ", archive is " + archived);

            // An operator fixes the cause. The retry also retries the jobs that this failure has cancelled. The waiting
            // job continues by itself.
            fixed.set(true);
            windrow.job(submitted.job(test)).retry(Retry.keepingAttempts().withDependents());
            windrow.await(submitted.job(publish), ofSeconds(30));
            windrow.await(submitted.job(archive), ofSeconds(30));
            return new Outcome(
                    published, archived, said, windrow.workflow(submitted.id()).orElseThrow());
        }
    }

    private static void test(String built, boolean passes) throws JobFailure {
        if (!passes) {
            throw JobFailure.permanent("TEST:FAILED", built + " does not start"); // another attempt would not help
        }
        System.out.println(built + " passes its test");
    }

    private static String report(String version, JobContext job) {
        ParentOutcome test = job.parents().get(0); // not its result, which it may not have
        return "the test of " + version + " ended " + test.state() + " as " + test.errorCode();
    }

    private static JobState state(Windrow windrow, SubmittedWorkflow submitted, Workflow.Node<?> step) {
        return windrow.job(submitted.job(step)).history().job().state();
    }
}
