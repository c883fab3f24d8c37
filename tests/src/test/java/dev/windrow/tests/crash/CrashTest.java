package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.monitor.Statistics;
import dev.windrow.tests.crash.CrashWorker.Work;
import dev.windrow.tests.processes.TestJvm;
import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * Kills a real worker process with SIGKILL at random moments, repeatedly, while this process enqueues into the same store. Then one worker finishes
 * all jobs, and the test compares the history with the promises. The test prints its seed. {@code -Dwindrow.crash.seed=N} repeats the choices, and
 * {@code -Dwindrow.crash.kills=N} sets the number of kills.
 */
@OnceOnEachStore
class CrashTest {
    private static final int JOBS_EACH_LIFE = Soak.number("windrow.crash.jobs", 200, 300);
    private static final int MAX_WORK_MICROS = 4000;
    private static final long DEADLINE_SECONDS = 120;

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private Target target;
    private int kills;

    @BeforeEach
    void choose() {
        target = kind.newTarget(folder);
        kills = Soak.number(
                "windrow.crash.kills", kind == StoreKind.SQLITE ? 4 : 3, kind == StoreKind.SQLITE ? 60 : 30);
    }

    @AfterEach
    void drop() throws Exception {
        target.close();
    }

    @Test
    void no_settlement_is_lost_or_doubled_when_workers_are_killed() throws Exception {
        long seed = Long.getLong("windrow.crash.seed", System.nanoTime());
        System.out.println("crash test on " + kind + ": seed " + seed + ", kills " + kills);
        SplittableRandom random = new SplittableRandom(seed);
        Path ledger = folder.resolve("ledger.txt");
        List<Long> acknowledged = new ArrayList<>();
        try (Windrow windrow = Windrow.open(target.newStore())) {
            for (int kill = 0; kill < kills; kill++) {
                acknowledged.addAll(enqueue(windrow, random, JOBS_EACH_LIFE / 2));
                Process worker = start(ledger);
                awaitReady(worker);
                acknowledged.addAll(enqueue(windrow, random, JOBS_EACH_LIFE / 2));
                // The kill comes between the moment before the first claim and the middle of the work, its renewals
                // and its checkpoints.
                boolean endedItself = worker.waitFor(random.nextLong(700_000), TimeUnit.MICROSECONDS);
                assertThat(endedItself).as("the worker ran until it was killed").isFalse();
                worker.destroyForcibly();
                assertThat(worker.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
            }
            Process last = start(ledger, "once");
            awaitReady(last);
            assertThat(last.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS))
                    .as("the last worker drained the queue")
                    .isTrue();
            assertThat(last.exitValue()).isZero();

            Statistics statistics = windrow.monitor().statistics();
            assertThat(statistics.states()).containsEntry(JobState.COMPLETED, (long) acknowledged.size());
            assertThat(statistics.states().values().stream().mapToLong(n -> n).sum())
                    .as("no job beyond those acknowledged")
                    .isEqualTo(acknowledged.size());
            Map<Long, Integer> starts = count(ledger, "start ");
            Map<Long, Integer> ends = count(ledger, "end ");
            long extra = 0;
            for (long id : acknowledged) {
                checkHistory(windrow.job(id).history());
                assertThat(ends.getOrDefault(id, 0))
                        .as("job %d did its work", id)
                        .isPositive();
                extra += starts.getOrDefault(id, 0) - 1;
            }
            // In flight at a kill: the jobs in the slots, and up to 25 ms of work that is done and not acknowledged.
            long inFlight = CrashWorker.SLOTS + CrashWorker.SLOTS * 25_000L / (MAX_WORK_MICROS / 2);
            assertThat(extra).as("handler calls beyond one a job").isLessThanOrEqualTo(kills * inFlight);
            System.out.printf("crash test: %d jobs, %d kills, %d repeated calls%n", acknowledged.size(), kills, extra);
        }
        assertThat(History.read(target).troubles()).isEmpty();
    }

    private static List<Long> enqueue(Windrow windrow, SplittableRandom random, int count) {
        List<JobRequest<Work, String>> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            jobs.add(CrashWorker.WORK
                    .job(new Work(random.nextInt(MAX_WORK_MICROS)))
                    .withPriority(random.nextInt(3)));
        }
        return windrow.enqueueAll(jobs).stream().map(job -> job.id()).toList();
    }

    private Process start(Path ledger, String... more) throws IOException {
        List<Object> arguments = new ArrayList<>(List.of(target, ledger));
        arguments.addAll(List.of(more));
        return new ProcessBuilder(TestJvm.command(List.of(), CrashWorker.class, arguments))
                .redirectError(folder.resolve("worker.log").toFile())
                .start();
    }

    private static void awaitReady(Process worker) throws IOException {
        BufferedReader out = new BufferedReader(new InputStreamReader(worker.getInputStream(), StandardCharsets.UTF_8));
        String line;
        do {
            line = out.readLine();
        } while (line != null && !line.equals("ready"));
        assertThat(line).as("the worker started").isEqualTo("ready");
    }

    /** Checks that the event log is a path through the state machine and agrees with the attempts. */
    private static void checkHistory(JobHistory history) {
        long id = history.job().id();
        List<JobHistory.Attempt> attempts = history.attempts();
        long token = 0;
        for (JobHistory.Attempt attempt : attempts) {
            assertThat(attempt.token()).as("tokens of job %d grow", id).isGreaterThan(token);
            token = attempt.token();
        }
        assertThat(attempts)
                .as("attempts of job %d", id)
                .filteredOn(a -> a.outcome() == AttemptOutcome.SUCCEEDED)
                .hasSize(1);
        assertThat(attempts.get(attempts.size() - 1).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        List<EventKind> events =
                history.events().stream().map(JobHistory.Event::event).toList();
        int claims = 0;
        JobState state = null;
        for (EventKind event : events) {
            state = switch (event) {
                case ENQUEUED -> after(id, events, state, null, JobState.PENDING);
                case CLAIMED -> {
                    claims++;
                    // A due retry has no separate event when it becomes ready.
                    yield after(
                            id,
                            events,
                            state == JobState.SCHEDULED ? JobState.PENDING : state,
                            JobState.PENDING,
                            JobState.RUNNING);
                }
                case STARTED, RECOVERED -> after(id, events, state, JobState.RUNNING, JobState.RUNNING);
                case RETRY_SCHEDULED -> after(id, events, state, JobState.RUNNING, JobState.SCHEDULED);
                case SUCCEEDED -> after(id, events, state, JobState.RUNNING, JobState.COMPLETED);
                default -> throw new AssertionError("job " + id + " has the event " + event + ": " + events);
            };
        }
        assertThat(state).as("job %d by its events %s", id, events).isEqualTo(JobState.COMPLETED);
        assertThat(claims)
                .as("each claim of job %d ended in one attempt: %s", id, events)
                .isEqualTo(attempts.size());
    }

    private static JobState after(long id, List<EventKind> events, JobState actual, JobState expected, JobState next) {
        assertThat(actual).as("job %d by its events %s", id, events).isEqualTo(expected);
        return next;
    }

    private static Map<Long, Integer> count(Path ledger, String prefix) throws IOException {
        Map<Long, Integer> counts = new HashMap<>();
        for (String line : Files.readAllLines(ledger)) {
            if (line.startsWith(prefix)) {
                counts.merge(Long.parseLong(line.substring(prefix.length())), 1, Integer::sum);
            }
        }
        return counts;
    }
}
