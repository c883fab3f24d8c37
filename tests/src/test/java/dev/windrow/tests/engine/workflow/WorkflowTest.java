package dev.windrow.tests.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.Enqueued;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.workflow.BatchProgress;
import dev.windrow.workflow.ParentOutcome;
import dev.windrow.workflow.ParentPolicy;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import dev.windrow.workflow.WorkflowStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Workflows and batches, and the results of parents. */
@OnEachStore
class WorkflowTest extends EngineTest {
    record Part(int number) {}

    static final JobType<Integer, Part> MAKE = JobType.of("part.make", Integer.class, Part.class);
    static final JobType<String, String> JOIN = JobType.of("part.join", String.class, String.class);
    static final JobType<String, Void> SILENT = JobType.of("part.silent", String.class);

    private List<JobRequest<Integer, Part>> parts(int count) {
        List<JobRequest<Integer, Part>> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(MAKE.job(i).withMaxAttempts(1));
        }
        return parts;
    }

    private long jobs() {
        return windrow.monitor().statistics().states().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private WorkflowStatus status(SubmittedWorkflow workflow) {
        return windrow.workflow(workflow.id()).orElseThrow();
    }

    @Test
    void aWorkflowIsWrittenAsAWholeAndRunsInTheOrderOfItsEdges() {
        Workflow flow = new Workflow();
        Workflow.Node<String> join = flow.add(JOIN, "join");
        Workflow.Node<Part> second = flow.add(MAKE, 2);
        Workflow.Node<Part> first = flow.add(MAKE, 1);
        join.after(second, first);
        second.after(first);
        SubmittedWorkflow submitted = windrow.submit(flow);
        assertThat(submitted.job(first).state()).isEqualTo(JobState.PENDING);
        assertThat(submitted.job(join).state()).isEqualTo(JobState.BLOCKED);
        assertThat(status(submitted).jobs()).isEqualTo(3);
        assertThat(status(submitted).isFinished()).isFalse();
        assertThat(windrow.workflow(submitted.job(join).id())).isEmpty();

        start(worker().handle(MAKE, (number, job) -> new Part(number))
                .handle(JOIN, (text, job) -> text + job.parentResults(MAKE)));
        assertThat(windrow.await(submitted.job(join), PATIENCE)).isEqualTo("join[Part[number=2], Part[number=1]]");
        assertThat(status(submitted).isFinished()).isTrue();
        assertThat(status(submitted).count(JobState.COMPLETED)).isEqualTo(3);
        assertThat(history(submitted.job(join)).job().workflow()).isEqualTo(submitted.id());
    }

    @Test
    void anInvalidWorkflowIsRefusedAndNothingIsWritten() {
        Workflow other = new Workflow();
        Workflow.Node<String> foreign = other.add(JOIN, "x");
        Map<String, Function<Workflow, Workflow.Node<?>>> wrong = new HashMap<>();
        wrong.put(
                "job 1 (part.join 'n') waits for job 0 (part.join) of another workflow",
                flow -> flow.add(JOIN.job("x").withName("n")).after(foreign));
        wrong.put(
                "job 1 (part.join) waits twice for job 0 (part.make)",
                flow -> flow.add(JOIN, "x")
                        .after(flow.nodes().get(0))
                        .after(ParentPolicy.RUN, flow.nodes().get(0)));
        wrong.put(
                "job 1 (part.join) waits twice for the stored job 77",
                flow -> flow.add(JOIN.job("x").withParents(JobRef.raw(77))).after(JobRef.raw(77)));
        wrong.put(
                "job 1 (part.join) waits for job -1: ids of jobs begin at 1",
                flow -> flow.add(JOIN, "x").after(JobRef.raw(-1)));
        wrong.put(
                "jobs wait for each other in a cycle, and none of them would ever run: job 1 (part.join) waits for job 2"
                        + " (part.make) waits for job 1 (part.join)",
                flow -> {
                    Workflow.Node<String> join = flow.add(JOIN, "x");
                    return join.after(flow.add(MAKE, 1).after(join));
                });
        wrong.forEach((message, add) -> {
            Workflow flow = new Workflow();
            flow.add(MAKE, 0);
            assertThat(add.apply(flow)).isNotNull();
            assertThatThrownBy(() -> windrow.submit(flow))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessage(message);
        });
        assertThatThrownBy(() -> windrow.submit(new Workflow())).isInstanceOf(InvalidRequestException.class);
        Workflow missing = new Workflow();
        missing.add(MAKE, 0);
        missing.add(JOIN, "x").after(JobRef.raw(77));
        assertThatThrownBy(() -> windrow.submit(missing)).isInstanceOf(JobNotFoundException.class);
        assertThat(jobs()).isZero();

        SubmittedWorkflow submitted = windrow.submit(other);
        Workflow.Node<Part> late = other.add(MAKE, 1);
        assertThatThrownBy(() -> submitted.job(late)).isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> submitted.job(missing.nodes().get(0))).isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void inACallersTransactionAWorkflowCommitsWithTheCallersDataOrNotAtAll() throws SQLException {
        Workflow flow = new Workflow();
        Workflow.Batch<String> batch = flow.batch(parts(3), JOIN.job("x"));
        SubmittedWorkflow done;
        try (Connection connection = target.begin()) {
            SubmittedWorkflow undone = windrow.on(connection).submit(flow);
            connection.rollback();
            assertThat(jobs()).isZero();
            assertThat(windrow.workflow(undone.id())).isEmpty();
            done = windrow.on(connection).submit(flow);
            assertThat(windrow.workflow(done.id())).isEmpty();
            connection.commit();
        }
        assertThat(status(done).jobs()).isEqualTo(4);
        start(worker().handle(MAKE, (number, job) -> new Part(number))
                .handle(JOIN, (text, job) -> text + job.parents().size()));
        assertThat(windrow.await(done.job(batch), PATIENCE)).isEqualTo("x3");
    }

    @Test
    void aBatchCallsBackWhenAllJobsHaveEndedAndReportsItsProgress() {
        Workflow flow = new Workflow();
        Workflow.Node<Part> before = flow.add(MAKE, 100);
        Workflow.Batch<String> batch = flow.batch(parts(5), JOIN.job("batch")).after(before);
        Workflow.Node<String> after = flow.add(JOIN, "after").after(batch);
        SubmittedWorkflow submitted = windrow.submit(flow);
        JobRef<String> callback = submitted.job(batch);
        assertThat(windrow.job(callback).batch())
                .isEqualTo(new BatchProgress(callback.id(), JobState.BLOCKED, 5, 0, 0));
        assertThat(batch.members()).hasSize(5);
        CountDownLatch last = new CountDownLatch(1);
        start(worker().handle(MAKE, (number, job) -> {
                    if (number == 4) {
                        take(last);
                    }
                    if (number == 1) {
                        throw JobFailure.permanent("TEST:ONE", "no");
                    }
                    return new Part(number);
                })
                .handle(JOIN, (text, job) -> {
                    int sum = 0;
                    for (ParentOutcome parent : job.parents()) {
                        if (parent.type().equals(MAKE.name()) && parent.state() == JobState.COMPLETED) {
                            sum += job.result(parent, MAKE).number();
                        }
                    }
                    return text + sum;
                }));
        until(() -> windrow.job(callback).batch().ended() == 4);
        assertThat(windrow.job(callback).batch().isFinished()).isFalse();
        assertThat(windrow.job(callback).batch().fraction()).isEqualTo(0.8);
        assertThat(windrow.job(callback).batch().unsuccessful()).isEqualTo(1);
        assertThat(state(callback)).isEqualTo(JobState.BLOCKED);
        last.countDown();
        assertThat(windrow.await(callback, PATIENCE)).isEqualTo("batch9");
        assertThat(windrow.await(submitted.job(after), PATIENCE)).isEqualTo("after0");
        assertThat(windrow.job(callback).batch().isFinished()).isTrue();
        assertThatThrownBy(() -> windrow.job(JobRef.raw(1_000_000_000)).batch())
                .isInstanceOf(JobNotFoundException.class);
    }

    @Test
    void anEmptyBatchCallsBackAtOnceOrAfterItsParents() {
        Workflow flow = new Workflow();
        Workflow.Batch<String> atOnce = flow.batch(List.of(), JOIN.job("x"));
        Workflow.Batch<String> later = flow.batch(List.of(), JOIN.job("x")).after(atOnce);
        SubmittedWorkflow submitted = windrow.submit(flow);
        assertThat(submitted.job(atOnce).state()).isEqualTo(JobState.PENDING);
        assertThat(submitted.job(later).state()).isEqualTo(JobState.BLOCKED);
        assertThat(windrow.job(submitted.job(atOnce)).batch().fraction()).isEqualTo(1);
    }

    @Test
    void aParentWithAMissingOrUnfitResultIsNamed() {
        Workflow flow = new Workflow();
        Workflow.Node<Part> part = flow.add(MAKE, 7);
        Workflow.Node<Part> failing = flow.add(MAKE.job(-1).withMaxAttempts(1));
        Workflow.Node<Void> silent = flow.add(SILENT, "x");
        Workflow.Node<String> join = flow.add(JOIN, "x").after(ParentPolicy.RUN, part, failing, silent);
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        JobType<Integer, Integer> other = JobType.of("part.make", Integer.class, Integer.class);
        JobType<Integer, Part> renamed =
                JobType.of("part.fetch", Integer.class, Part.class).withAliases("part.make");
        SubmittedWorkflow submitted = windrow.submit(flow);
        start(worker().handle(MAKE, (number, job) -> {
                    if (number < 0) {
                        throw JobFailure.permanent("TEST:NO", "no");
                    }
                    return new Part(number);
                })
                .handle(SILENT, (text, job) -> null)
                .handle(JOIN, (text, job) -> {
                    tell(told, () -> job.parentResult(3, MAKE));
                    tell(told, () -> job.parentResult(1, MAKE));
                    tell(told, () -> job.parentResult(0, JOIN));
                    tell(told, () -> job.parentResult(2, SILENT));
                    tell(told, () -> job.parentResult(MAKE));
                    tell(told, () -> job.parentResults(MAKE));
                    tell(told, () -> job.parentResult(0, other));
                    return job.parentResult(0, renamed) + " " + job.parentResults(JOIN);
                }));
        assertThat(windrow.await(submitted.job(join), PATIENCE)).isEqualTo("Part[number=7] []");
        long ok = submitted.job(part).id();
        String no =
                "parent " + submitted.job(failing).id() + " (part.make) has no result: it is FAILED with code TEST:NO";
        assertThat(told.subList(0, 6))
                .containsExactly(
                        "parent 3 is not allowed: the job has 0 to 2",
                        no,
                        "parent " + ok + " (part.make) is not of type part.join",
                        "parent " + submitted.job(silent).id() + " (part.silent) completed without a result",
                        "one parent of type part.make was requested, but the job has 2",
                        no);
        assertThat(told.get(6))
                .startsWith("the result of parent " + ok + " (part.make) does not fit java.lang.Integer");
    }

    private interface Asking {
        Object ask();
    }

    private static void tell(List<String> told, Asking asking) {
        try {
            told.add("no error: " + asking.ask());
        } catch (InvalidRequestException e) {
            told.add(String.valueOf(e.getMessage()));
        }
    }

    @Test
    void aJobWithoutParentsHasNoResultsOfParents() {
        JobRef<String> job = windrow.enqueue(JOIN, "x");
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        start(worker().handle(JOIN, (text, context) -> {
            tell(told, () -> context.parentResult(0, MAKE));
            return text + context.parentResults(MAKE);
        }));
        assertThat(windrow.await(job, PATIENCE)).isEqualTo("x[]");
        assertThat(told).containsExactly("parent 0 is not allowed: the job has none");
    }

    @Test
    void aLongResultOfAParentIsReadFromItsBlob() {
        Workflow flow = new Workflow();
        Workflow.Node<String> first = flow.add(JOIN, "x".repeat(200_000));
        Workflow.Node<String> second = flow.add(JOIN, "").after(first);
        SubmittedWorkflow submitted = windrow.submit(flow);
        start(worker().handle(
                        JOIN,
                        (text, job) -> text.isEmpty()
                                ? Integer.toString(job.parentResult(JOIN).length())
                                : text));
        assertThat(windrow.await(submitted.job(second), PATIENCE)).isEqualTo("200000");
    }

    @Test
    void aWholeWorkflowIsCancelledAndRetriedWhileWorkersRun() {
        Workflow flow = new Workflow();
        Workflow.Batch<String> batch = flow.batch(parts(60), JOIN.job("done"));
        Workflow.Node<String> last = flow.add(JOIN, "last").after(batch);
        SubmittedWorkflow submitted = windrow.submit(flow);
        JobRef<Json> alone = enqueue(ECHO);
        AtomicInteger begun = new AtomicInteger();
        CountDownLatch some = new CountDownLatch(10);
        AtomicBoolean slow = new AtomicBoolean(true);
        start(worker().concurrency(4)
                .handle(MAKE, (number, job) -> {
                    begun.incrementAndGet();
                    some.countDown();
                    if (slow.get() && begun.get() > 20) {
                        // Waits until an interrupt.
                        new CountDownLatch(1).await();
                    }
                    return new Part(number);
                })
                .handle(JOIN, (text, job) -> text + job.parents().size()));
        take(some);
        JobFilter whole = JobFilter.workflow(submitted.id());
        windrow.jobs(whole).cancel();
        until(() -> status(submitted).isFinished());
        assertThat(status(submitted).count(JobState.CANCELLED)).isGreaterThan(20);
        assertThat(state(alone)).isEqualTo(JobState.PENDING);
        assertThat(state(submitted.job(last))).isEqualTo(JobState.CANCELLED);
        slow.set(false);
        assertThat(windrow.jobs(whole).retry().count()).isGreaterThan(20);
        assertThat(windrow.await(submitted.job(last), PATIENCE)).isEqualTo("last1");
        until(() -> status(submitted).count(JobState.COMPLETED) == 62);
        assertThat(state(alone)).isEqualTo(JobState.PENDING);
    }

    @Test
    void eachJobRunsAfterItsParentsInAnyOrderOfAddition(TestReporter reporter) {
        long seed = Long.getLong("windrow.seed", new Random().nextLong(1_000_000_000));
        reporter.publishEntry("windrow.seed", Long.toString(seed));
        Random random = new Random(seed);
        Set<Long> done = ConcurrentHashMap.newKeySet();
        List<String> early = Collections.synchronizedList(new ArrayList<>());
        start(worker().concurrency(4).handle(JOIN, (text, job) -> {
            for (ParentOutcome parent : parents(job)) {
                if (!done.contains(parent.id())) {
                    early.add(job.id() + " before " + parent.id());
                }
            }
            done.add(job.id());
            return text;
        }));
        for (int round = 0; round < 4; round++) {
            int size = 2 + random.nextInt(30);
            Workflow flow = new Workflow();
            List<Workflow.Node<String>> ranked = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                ranked.add(flow.add(JOIN, "x"));
            }
            Collections.shuffle(ranked, random);
            for (int child = 1; child < size; child++) {
                for (int parent = 0; parent < child; parent++) {
                    if (random.nextInt(3) == 0) {
                        ranked.get(child).after(ranked.get(parent));
                    }
                }
            }
            SubmittedWorkflow submitted = windrow.submit(flow);
            for (Enqueued<?> job : submitted.jobs()) {
                assertThat(windrow.await(job, PATIENCE)).isEqualTo("x");
            }
        }
        assertThat(early).isEmpty();
    }

    private static List<ParentOutcome> parents(JobContext job) {
        return job.parents();
    }
}
