package dev.windrow.tests.processes.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobSelection;
import dev.windrow.JobState;
import dev.windrow.Retry;
import dev.windrow.TransitionRefusedException;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.processes.workflow.GraphWorker.Node;
import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import dev.windrow.workflow.ParentPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * Hundreds of small graphs of jobs with random policies. Several threads and processes enqueue, run and kill them at once, while another thread
 * cancels and retries at random. The test then compares the states with the promise of each policy. In the end no job fails any more, every job is
 * retried, and all of them complete. The test prints its seed. {@code -Dwindrow.graphs.seed=N} repeats the choices, {@code -Dwindrow.graphs=N} sets
 * the number of graphs, and {@code -Psoak} runs thousands.
 */
@OnceOnEachStore
class RandomGraphsTest {
    private static final int SUBMITTERS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private Target target;
    private final List<Windrow> windrows = new ArrayList<>();
    private final List<Child> children = new ArrayList<>();
    /** The nodes that are stored so far. */
    private final ConcurrentLinkedQueue<JobRef<?>> known = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void open() {
        target = kind.newTarget(folder);
        windrows.add(Windrow.open(target.newStore()));
        windrows.add(Windrow.open(target.newStore()));
    }

    @AfterEach
    void close() throws Exception {
        for (Child child : children) {
            child.kill();
        }
        windrows.forEach(Windrow::close);
        target.close();
    }

    private void startWorker() throws Exception {
        children.add(Child.start(folder, GraphWorker.class, target, folder));
    }

    @Test
    void everyJobOfEveryGraphFollowsItsPolicies() throws Exception {
        long seed = Long.getLong("windrow.graphs.seed", System.nanoTime());
        int graphs = Integer.getInteger("windrow.graphs", Boolean.getBoolean("windrow.soak") ? 4000 : 100);
        System.out.println("random graphs on " + kind + ": seed " + seed + ", graphs " + graphs);
        SplittableRandom random = new SplittableRandom(seed);
        Windrow windrow = windrows.get(0);
        startWorker();
        startWorker();
        AtomicBoolean submitted = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(SUBMITTERS + 1);
        try (Worker first = GraphWorker.start(windrow, folder);
                Worker second = GraphWorker.start(windrows.get(1), folder)) {
            List<Future<?>> submitters = new ArrayList<>();
            for (int i = 0; i < SUBMITTERS; i++) {
                SplittableRandom own = random.split();
                Windrow by = windrows.get(i % 2);
                submitters.add(threads.submit(() -> submit(by, own, graphs / SUBMITTERS)));
            }
            SplittableRandom operators = random.split();
            Future<?> operator = threads.submit(() -> operate(windrows.get(1), operators, submitted));
            children.get(0).awaitPrefix("ready");
            children.get(0).kill();
            startWorker();
            children.get(1).awaitPrefix("ready");
            for (Future<?> submitter : submitters) {
                submitter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            children.get(1).kill();
            submitted.set(true);
            operator.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            awaitRest(windrow);
            check(windrow);

            Files.createFile(folder.resolve("calm"));
            long revived = 0;
            while (windrow.monitor().statistics().states().getOrDefault(JobState.COMPLETED, 0L) < known.size()) {
                long retried = windrow.jobs(JobFilter.ALL)
                        .retry(Retry.keepingAttempts().withDependents())
                        .count();
                assertThat(retried).as("what has not completed can be retried").isPositive();
                revived += retried;
                awaitRest(windrow);
            }
            assertThat(all(windrow)).hasSize(known.size());
            assertThat(windrow.monitor().diagnose().failed()).isEmpty();
            System.out.printf(
                    "random graphs: %d jobs by %s and %s, %d brought back at the end%n",
                    known.size(), first.name(), second.name(), revived);
        } finally {
            threads.shutdownNow();
        }
        assertThat(Files.exists(folder.resolve("wrong")) ? Files.readString(folder.resolve("wrong")) : "")
                .isEmpty();
    }

    /** Submits graphs layer by layer. Nodes depend on some of the earlier nodes. */
    private void submit(Windrow windrow, SplittableRandom random, int graphs) {
        for (int i = 0; i < graphs; i++) {
            List<JobRef<?>> nodes = new ArrayList<>();
            int layers = 2 + random.nextInt(3);
            for (int layer = 0; layer < layers; layer++) {
                List<JobRequest<Node, Void>> jobs = new ArrayList<>();
                int width = 1 + random.nextInt(3);
                for (int n = 0; n < width; n++) {
                    jobs.add(node(random, nodes));
                }
                try {
                    windrow.enqueueAll(jobs).forEach(job -> nodes.add(job));
                } catch (InvalidRequestException e) {
                    // A parent has already ended, so a node would have been cancelled at once. No node of the layer
                    // is stored.
                    assertThat(e).hasMessageContaining("already");
                }
            }
            known.addAll(nodes);
        }
    }

    private static JobRequest<Node, Void> node(SplittableRandom random, List<JobRef<?>> before) {
        List<JobRef<?>> parents = new ArrayList<>();
        List<ParentPolicy> policies = new ArrayList<>();
        for (JobRef<?> parent : before) {
            if (random.nextInt(100) < 45) {
                parents.add(parent);
                int dice = random.nextInt(10);
                policies.add(dice < 4 ? ParentPolicy.CANCEL : dice < 7 ? ParentPolicy.WAIT : ParentPolicy.RUN);
            }
        }
        JobRequest<Node, Void> job = GraphWorker.NODE.job(new Node(policies));
        for (int i = 0; i < parents.size(); i++) {
            job = job.withParents(policies.get(i), List.of(parents.get(i)));
        }
        return job;
    }

    /** Cancels and retries random jobs while graphs are enqueued, with any outcome. */
    private void operate(Windrow windrow, SplittableRandom random, AtomicBoolean submitted) {
        while (!submitted.get()) {
            List<JobRef<?>> jobs = List.copyOf(known);
            if (jobs.isEmpty()) {
                Thread.onSpinWait();
                continue;
            }
            List<JobRef<?>> some = List.of(jobs.get(random.nextInt(jobs.size())));
            try {
                switch (random.nextInt(5)) {
                    case 0 ->
                        windrow.job(jobs.get(jobs.size() - 1 - random.nextInt(Math.min(20, jobs.size()))))
                                .cancel();
                    case 1 -> windrow.jobs(some).retry();
                    case 2 -> windrow.jobs(some).retry(Retry.keepingAttempts().withDependents());
                    case 3 ->
                        some(windrow, JobFilter.failed().withErrorCode("TEST:DICE"), random.nextInt(4) > 0)
                                .retry(Retry.attempts(3).withDependents());
                    default ->
                        some(windrow, JobFilter.inState(JobState.CANCELLED), random.nextInt(20) > 0)
                                .retry();
                }
            } catch (TransitionRefusedException e) {
                // The job is not in a state that allows the change.
                assertThat(e).hasMessageContaining("job ");
            }
        }
    }

    private static void awaitRest(Windrow windrow) {
        await().atMost(PATIENCE).until(() -> {
            Map<JobState, Long> states = windrow.monitor().statistics().states();
            return states.getOrDefault(JobState.PENDING, 0L)
                            + states.getOrDefault(JobState.RUNNING, 0L)
                            + states.getOrDefault(JobState.SCHEDULED, 0L)
                    == 0;
        });
    }

    private static List<JobInfo> all(Windrow windrow) {
        List<JobInfo> jobs = new ArrayList<>();
        JobPage page = windrow.jobs(JobFilter.ALL).newestFirst().limit(1000).page();
        jobs.addAll(page.jobs());
        while (page.next() != null) {
            page = windrow.jobs(JobFilter.ALL)
                    .newestFirst()
                    .after(page.next())
                    .limit(1000)
                    .page();
            jobs.addAll(page.jobs());
        }
        return jobs;
    }

    /** Checks the state of each job by its parents, when no job runs. */
    private static void check(Windrow windrow) {
        Map<JobState, Long> counts = new EnumMap<>(JobState.class);
        for (JobInfo job : all(windrow)) {
            counts.merge(job.state(), 1L, Long::sum);
            List<JobInfo.Dependency> parents =
                    windrow.job(job.id()).history().job().dependsOn();
            if (job.state() == JobState.BLOCKED) {
                assertThat(parents)
                        .as("job %d is BLOCKED and has one to wait for", job.id())
                        .anyMatch(RandomGraphsTest::isOpen);
                assertThat(parents)
                        .as("job %d is BLOCKED and none that cancels it", job.id())
                        .noneMatch(parent -> parent.onFailure() == ParentPolicy.CANCEL
                                && (parent.state() == JobState.FAILED || parent.state() == JobState.CANCELLED));
            }
            if (job.state() == JobState.CANCELLED) {
                checkReason(windrow, job, parents);
            }
        }
        counts.forEach(
                (state, count) -> assertThat(windrow.monitor().statistics().states())
                        .as("counters")
                        .containsEntry(state, count));
        assertThat(windrow.monitor().diagnose().failed()).isEmpty();
        System.out.println("random graphs: " + counts);
    }

    private static boolean isOpen(JobInfo.Dependency parent) {
        return parent.state() == JobState.BLOCKED
                || (parent.onFailure() == ParentPolicy.WAIT && parent.state() != JobState.COMPLETED);
    }

    private static JobSelection some(Windrow windrow, JobFilter filter, boolean preview) {
        JobSelection jobs = windrow.jobs(filter);
        return preview ? jobs.preview() : jobs;
    }

    /** Checks that a job that was cancelled by a parent's end had that policy, and that the parent had that end. */
    private static void checkReason(Windrow windrow, JobInfo job, List<JobInfo.Dependency> parents) {
        JobHistory.Event last = windrow.job(job.id()).history().events().stream()
                .filter(event -> event.event() == EventKind.CANCELLED)
                .reduce((a, b) -> b)
                .orElseThrow();
        if (last.detail() == null) {
            return; // cancelled by a caller
        }
        String[] words = Objects.requireNonNull(last.detail()).text().split("[ \"}]+", -1);
        int at = List.of(words).indexOf("parent");
        if (at < 0) {
            return;
        }
        long parent = Long.parseLong(words[at + 1]);
        assertThat(parents)
                .as("job %d was cancelled by %s", job.id(), last.detail())
                .anyMatch(each -> each.id() == parent && each.onFailure() == ParentPolicy.CANCEL);
        EventKind end = EventKind.valueOf(words[at + 2]);
        assertThat(windrow.job(parent).history().events())
                .as("job %d has ended so", parent)
                .anyMatch(event -> event.event() == end);
    }
}
