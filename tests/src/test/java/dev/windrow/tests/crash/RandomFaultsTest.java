package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.tests.processes.Child;
import dev.windrow.tests.processes.SteppedTime;
import dev.windrow.tests.stores.FullServer;
import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import dev.windrow.testserver.PostgresServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs rounds of random faults, several at a time, in a storm on one store that has its own disk or server. When the faults have ended and all jobs
 * are at rest, the test compares the history with the promises. A round's name contains its seed, which determines the faults, their times and their
 * targets. {@code -Dwindrow.faults.seed=N} repeats a round. {@code -Dwindrow.faults.minutes=N} asks for more rounds.
 */
@OnceOnEachStore
class RandomFaultsTest {
    private static final int MINUTES = Soak.number("windrow.faults.minutes", 0, 60);
    private static final int SECONDS = Soak.number("windrow.faults.seconds", 8, 60);
    private static final int WORKERS = 3;
    private static final int ENQUEUERS = 2;
    private static final int MAX_PAUSE_MILLIS = 800;
    private static final int DISK_MEGABYTES = 256;
    private static final long[] HOURS = {-1, 0, 1};

    /** The faults of a round. */
    private enum Fault {
        /** SIGKILL of a worker or an enqueuer. Another one replaces it. */
        KILL,
        /** SIGSTOP of a worker, and SIGCONT when its leases have expired. */
        PAUSE,
        /** SIGKILL of the PostgreSQL server, which is restarted at once. */
        SERVER,
        /** No space on the disk for a while: on the disk of the file, or, simulated by triggers with its error, on the server. */
        DISK,
        /** The clock of all processes is an hour ahead, an hour behind, or correct again. The server's clock is correct. */
        CLOCK,
        /** Allocations fail in the writer of a process. */
        MEMORY,
        /** The log of a process throws for a while. */
        LOG,
        /** A transaction of an application holds its locks for some seconds, and is committed or rolled back. */
        LOCKS,
        /** SIGKILL of a worker. Its replacement has the name of another live worker. */
        TWIN;

        boolean isOn(StoreKind kind) {
            return this != SERVER || kind == StoreKind.POSTGRES;
        }
    }

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    /** The acts of a round, by their time since the begin of the faults. */
    private record Act(long millis, Step step) {}

    private interface Step {
        void run() throws Exception;
    }

    private final List<Act> acts = new ArrayList<>();
    private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
    private @Nullable SmallDisk disk;
    private @Nullable PostgresServer server;
    private @Nullable FullServer fullServer;
    private Path clock;
    private Target target;
    private Storm storm;
    private Child operator;

    static Stream<Long> seeds() {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
        long first = Soak.seed("windrow.faults.seed");
        return Stream.concat(
                Stream.of(first),
                Stream.iterate(next(first), seed -> System.nanoTime() - end < 0, RandomFaultsTest::next));
    }

    private static long next(long seed) {
        return new SplittableRandom(seed).nextLong();
    }

    @BeforeEach
    void start() throws Exception {
        Storm.Launcher launcher;
        if (kind == StoreKind.SQLITE) {
            disk = new SmallDisk(folder, DISK_MEGABYTES);
            target = Target.file(disk.path("jobs.db"));
            launcher = disk::start;
        } else {
            server = PostgresServer.start();
            target = Target.newSchema(server);
            launcher = (main, arguments) -> Child.start(folder, main, arguments);
        }
        storm = new Storm(folder, target, launcher);
        clock = folder.resolve(StormProcess.CLOCK);
        SteppedTime.step(clock, 0);
        operator = launcher.start(StormOperator.class, target, folder.resolve("ledger"));
        operator.await("ready");
        if (server != null) {
            fullServer = FullServer.at(target);
        }
    }

    @AfterEach
    void end() throws Exception {
        operator.kill();
        storm.close();
        if (disk != null) {
            disk.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void nothing_is_lost_doubled_or_stuck(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        List<Fault> faults =
                Stream.of(Fault.values()).filter(fault -> fault.isOn(kind)).toList();
        for (long at = 0; at < SECONDS * 1000L; at += random.nextInt(2 * MAX_PAUSE_MILLIS)) {
            Fault fault = faults.get(random.nextInt(faults.size()));
            counts.merge(fault, 1, Integer::sum);
            plan(fault, at, random.split());
        }
        acts.sort(Comparator.comparingLong(Act::millis));
        storm.begin(WORKERS, ENQUEUERS, random::nextLong);
        long begin = System.nanoTime();
        for (Act act : acts) {
            long micros = TimeUnit.MILLISECONDS.toMicros(act.millis) - (System.nanoTime() - begin) / 1000;
            storm.watch(random.nextInt(storm.size()), Math.max(0, micros));
            act.step.run();
        }
        for (int each = 0; each < storm.size(); each++) {
            storm.tell(each, "memory 0");
        }
        // Jobs of the last killed worker are reclaimed a moment later.
        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertNothingIsWrong("amid the storm"));
        storm.settle(() -> {
            operator.send("drain");
            return Long.parseLong(operator.awaitPrefix("unfinished "));
        });
        assertNothingIsWrong("at rest");
        operator.endInput();
        operator.await("stopped");
        assertThat(operator.awaitEnd()).isZero();
        check(seed);
    }

    private void plan(Fault fault, long at, SplittableRandom random) {
        int anyone = random.nextInt(WORKERS + ENQUEUERS);
        int worker = random.nextInt(WORKERS);
        int millis = 500 + random.nextInt(3000);
        int some = 1 + random.nextInt(5);
        switch (fault) {
            case KILL -> act(at, () -> storm.kill(anyone, random.nextLong()));
            case PAUSE -> {
                long lease = StormWorker.LEASE.toMillis();
                AtomicReference<Storm.One> paused = new AtomicReference<>();
                act(at, () -> paused.set(storm.pause(worker)));
                act(at + lease + millis, () -> storm.resume(worker));
                act(at + 2 * lease + millis, () -> storm.back(paused.get()));
            }
            case SERVER ->
                act(at, () -> {
                    server.kill();
                    server.startAgain();
                });
            case DISK -> {
                act(at, this::fillDisk);
                act(at + millis, this::freeDisk);
            }
            case CLOCK -> act(at, () -> SteppedTime.step(clock, HOURS[some % HOURS.length] * 3600));
            case MEMORY -> act(at, () -> storm.tell(anyone, "memory " + some));
            case LOG -> {
                act(at, () -> storm.tell(anyone, "log true"));
                act(at + millis, () -> storm.tell(anyone, "log false"));
            }
            case TWIN -> act(at, () -> storm.twin(worker, (worker + 1) % WORKERS));
            case LOCKS -> act(at, () -> operator.send("hold " + millis + " " + random.nextLong()));
        }
    }

    private void fillDisk() throws Exception {
        if (disk != null) {
            disk.fill();
        } else {
            fullServer.fill();
        }
    }

    private void freeDisk() throws Exception {
        if (disk != null) {
            disk.free();
        } else {
            fullServer.free();
        }
    }

    private void act(long millis, Step step) {
        acts.add(new Act(millis, step));
    }

    private void assertNothingIsWrong(String when) throws Exception {
        operator.send("diagnose");
        List<String> wrong = new ArrayList<>();
        String line = operator.line();
        while (!line.equals("diagnosed")) {
            wrong.add(line);
            line = operator.line();
        }
        assertThat(wrong).as(when).isEmpty();
    }

    private void check(long seed) throws Exception {
        Target rest = target;
        if (disk != null) {
            assertThat(disk.names()).as("left beside the database").containsExactly("jobs.db");
            rest = Target.file(disk.copyOut("jobs.db"));
        }
        History history = History.read(rest);
        HistoryCheck.Result result = HistoryCheck.of(history, storm.seen(Storm.IN_FLIGHT));
        System.out.printf(
                "random faults on %s: seed %d, %s: %d jobs, %d attempts, %d calls refused, %d unknown, %d repeated%n",
                kind,
                seed,
                counts,
                history.jobs().size(),
                history.attempts().size(),
                storm.refused().size(),
                storm.unknown().size(),
                result.repeatedCalls());
        assertThat(result.violations()).isEmpty();
        assertThat(storm.atOnce()).isEmpty();
        assertThat(rest.rows(SCHEDULE_TROUBLES)).isEmpty();
        if (!counts.containsKey(Fault.CLOCK) || server != null) {
            assertThat(rest.rows(SCHEDULE_GAPS)).isEmpty();
        }
    }

    /** The query for violations: a due time with two jobs, a run without the job that it names, and a job of a schedule without a run. */
    private static final String SCHEDULE_TROUBLES = """
            SELECT 'two jobs of ' || detail FROM windrow_events WHERE event = 'ENQUEUED' AND detail LIKE '%"schedule"%'
             GROUP BY detail HAVING count(*) > 1
            UNION ALL
            SELECT 'run ' || r.due_at || ' has no job' FROM windrow_schedule_runs r LEFT JOIN windrow_jobs j ON j.id = r.job_id
             WHERE r.outcome = 'ENQUEUED' AND j.id IS NULL
            UNION ALL
            SELECT 'job ' || e.job_id || ' is of no run' FROM windrow_events e LEFT JOIN windrow_schedule_runs r ON r.job_id = e.job_id
             WHERE e.event = 'ENQUEUED' AND e.detail LIKE '%"schedule"%' AND r.job_id IS NULL
            """;

    /** The query for due times without a run. All have one as long as no clock steps back. Then a schedule continues with the first later one. */
    private static final String SCHEDULE_GAPS = """
            SELECT 'due ' || r.due_at || ' after ' || max(b.until_at)
              FROM windrow_schedule_runs r JOIN windrow_schedule_runs b ON b.due_at < r.due_at
             GROUP BY r.due_at HAVING r.due_at <> max(b.until_at) + 1000
            """;
}
