package dev.windrow.tests.processes.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.step.Signalled;
import dev.windrow.tests.crash.Soak;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Durable steps of jobs whose workers are killed, and events that another process sends. */
@OnceOnEachStore
class StepsAcrossProcessesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** The number of kills of a worker. */
    private static final int KILLS = Soak.number("windrow.steps.kills", 3, 12);

    /** The pace of a worker that is not killed. */
    private static final Stepper.Pace FREELY = new Stepper.Pace() {
        @Override
        public void begin() {}

        @Override
        public void say(String what) {}
    };

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private static void makeTable(Target target) throws Exception {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(Stepper.TABLE);
        }
    }

    @Test
    void aJobWhoseWorkersAreKilledDoesEachStepOnce(TestReporter reporter) throws Exception {
        long seed = Long.getLong("windrow.seed", new Random().nextLong(1_000_000));
        reporter.publishEntry("windrow.seed", Long.toString(seed));
        Random random = new Random(seed);
        try (Target target = kind.newTarget(folder);
                Windrow windrow = Windrow.open(target.newStoreBesideTables())) {
            makeTable(target);
            JobRef<Integer> job = windrow.enqueue(Stepper.WALK, 1);
            // One step fewer than the job has, so that the job is unfinished after all kills.
            int[] steps = new int[KILLS];
            for (int step = 1; step < Stepper.STEPS; step++) {
                steps[random.nextInt(KILLS)]++;
            }
            for (int each : steps) {
                try (Child child = Child.start(folder, Stepper.class, target)) {
                    walkAndDie(child, each, random);
                }
                assertThat(state(windrow, job)).isEqualTo(JobState.RUNNING);
            }
            System.out.printf("%s: killed %d times%n", kind, KILLS);
            try (Worker last = Stepper.start(windrow, target, FREELY)) {
                assertThat(last.name()).isNotEmpty();
                assertThat(windrow.await(job, PATIENCE)).isEqualTo(Stepper.STEPS * (Stepper.STEPS - 1) / 2);
            }
            assertThat(target.rows("SELECT step FROM effects WHERE own = 0 ORDER BY step"))
                    .as("in the transactions of their steps")
                    .containsExactlyElementsOf(numbers(0));
            assertThat(target.rows("SELECT DISTINCT step FROM effects WHERE own = 1 ORDER BY step"))
                    .containsExactlyElementsOf(numbers(1));
            assertThat(target.rows("SELECT step FROM effects WHERE own = 1"))
                    .as("at most once more for each kill")
                    .hasSizeLessThanOrEqualTo(Stepper.STEPS / 2 + KILLS);
            assertThat(windrow.job(job).history().steps()).hasSize(Stepper.STEPS);
            assertThat(windrow.monitor().diagnose().failed()).isEmpty();
        }
    }

    /** Lets a child do this many steps, and kills it before the next one or at some point of the last one, including its commit. */
    private static void walkAndDie(Child child, int steps, Random random) throws Exception {
        child.awaitPrefix("at");
        for (int left = steps; left > 0; left--) {
            child.send("go");
            List<String> last = List.of("go", "wrote", "did", "at");
            String until = left > 1 ? "at" : last.get(random.nextInt(last.size()));
            if (!until.equals("go")) {
                child.await(until);
            }
        }
        child.kill();
    }

    private static List<String> numbers(int first) {
        return java.util.stream.IntStream.range(0, Stepper.STEPS / 2)
                .mapToObj(i -> Integer.toString(2 * i + first))
                .toList();
    }

    private static JobState state(Windrow windrow, JobRef<?> job) {
        return windrow.job(job).history().job().state();
    }

    @Test
    void aJobThatAwaitsAnEventForAWeekHoldsNothingAndIsWokenByAnotherProcess() throws Exception {
        try (Target target = kind.newTarget(folder);
                Windrow windrow = Windrow.open(target.newStoreBesideTables())) {
            makeTable(target);
            try (Child child = Child.start(folder, Stepper.class, target)) {
                String worker = child.awaitPrefix("ready ");
                JobRef<String> job = windrow.enqueue(Stepper.WAIT, "x");
                await().atMost(PATIENCE).until(() -> state(windrow, job) == JobState.BLOCKED);
                JobInfo parked = windrow.job(job).history().job();
                assertThat(parked.worker()).isNull();
                assertThat(parked.waitingFor()).isEqualTo(JobInfo.Waiting.EVENT);
                assertThat(parked.wakeAt()).isAfter(parked.createdAt().plus(Duration.ofDays(6)));
                assertThat(
                                target.rows(
                                        "SELECT count(*) FROM windrow_jobs WHERE lease_until IS NOT NULL OR worker IS NOT NULL"))
                        .containsExactly("0");
                assertThat(windrow.monitor().workers())
                        .extracting(WorkerInfo::name)
                        .containsExactly(worker);
                assertThat(windrow.monitor().workers().get(0).running()).isEmpty();
                for (int i = 0; i < 5; i++) {
                    JobRef<Integer> other = windrow.enqueue(Stepper.OTHER, i);
                    assertThat(windrow.await(other, PATIENCE))
                            .as("by its only slot")
                            .isEqualTo(i);
                }
                long begun = System.nanoTime();
                assertThat(windrow.job(job).signal("go", "from outside"))
                        .isEqualTo(new Signalled(JobState.PENDING, true));
                assertThat(windrow.await(job, PATIENCE)).isEqualTo("from outside");
                System.out.printf(
                        "%s: from the signal to the result in the other process %.1f ms%n",
                        kind, (System.nanoTime() - begun) / 1e6);
                assertThat(windrow.job(job).history().attempts())
                        .extracting(JobHistory.Attempt::outcome)
                        .containsExactly(AttemptOutcome.PARKED, AttemptOutcome.SUCCEEDED);
            }
        }
    }
}
