package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobState;
import dev.windrow.engine.Windrow;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.processes.Child;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Six workers and two enqueuers, each a process of its own, on one file; random ones are killed with SIGKILL at random
 * moments, their starts and ends included, and replaced. When all has come to rest, everything that happened is
 * compared with everything that was promised. The seed is printed and decides who is killed when and what is enqueued;
 * {@code -Dwindrow.storm.seed=N} repeats it, {@code -Dwindrow.storm.kills=N} asks for more.
 */
class KillStormTest {
    private static final int KILLS = Soak.number("windrow.storm.kills", 15, 100);
    private static final int WORKERS = 6;
    private static final int ENQUEUERS = 2;
    private static final int MAX_PAUSE_MICROS = 900_000;
    /** What the slots run, and the 25 ms of work that may be done and not yet acknowledged. */
    private static final int IN_FLIGHT = StormJobs.SLOTS + StormJobs.SLOTS * 25_000 / (StormJobs.MAX_WORK_MICROS / 2);

    @TempDir
    Path folder;

    private final List<One> all = new ArrayList<>();
    private final Set<String> killed = new HashSet<>();
    private Path db;
    private Path ledger;

    /** One process of the storm. */
    private record One(Child child, String name, boolean works) {}

    @AfterEach
    void kill() {
        all.forEach(one -> one.child.close());
    }

    private One start(boolean works, long seed) throws Exception {
        // The driver's library, unpacked by processes that are killed, is not to stay in the machine's folder.
        List<String> options = List.of("-Dorg.sqlite.tmpdir=" + folder);
        String name = (works ? "worker" : "enqueuer") + all.size();
        One one = new One(
                works
                        ? Child.start(folder, options, StormWorker.class, db, ledger, name)
                        : Child.start(folder, options, StormEnqueuer.class, db, ledger, name, seed),
                name,
                works);
        all.add(one);
        return one;
    }

    @Test
    void a_storm_of_kills_loses_nothing_doubles_nothing_and_leaves_nothing_behind() throws Exception {
        long seed = Soak.seed("windrow.storm.seed");
        System.out.println("kill storm: seed " + seed + ", kills " + KILLS);
        SplittableRandom random = new SplittableRandom(seed);
        Path data = Files.createDirectory(folder.resolve("data"));
        db = data.resolve("jobs.db");
        ledger = folder.resolve("ledger");
        List<One> alive = new ArrayList<>();
        for (int i = 0; i < WORKERS + ENQUEUERS; i++) {
            alive.add(start(i < WORKERS, random.nextLong()));
        }
        for (One one : alive) {
            one.child.await("ready");
        }
        for (int kill = 0; kill < KILLS; kill++) {
            int at = random.nextInt(alive.size());
            One victim = alive.get(at);
            assertThat(victim.child.awaitEnd(random.nextLong(MAX_PAUSE_MICROS), TimeUnit.MICROSECONDS))
                    .as("%s lived until it was killed; its log: %s", victim.name, victim.child.log())
                    .isFalse();
            victim.child.kill();
            killed.add(victim.name);
            alive.set(at, start(victim.works, random.nextLong()));
        }
        for (One one : alive) {
            if (!one.works) {
                stop(one);
            }
        }
        try (Windrow windrow = Windrow.open(SqliteStore.at(db))) {
            await().atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> unfinished(windrow) == 0);
        }
        for (One one : alive) {
            if (one.works) {
                stop(one);
            }
        }
        HistoryCheck.Seen seen = seen();
        try (var left = Files.list(data)) {
            assertThat(left).as("left beside the database").containsExactly(db);
        }
        History history = History.read(db);
        HistoryCheck.Result result = HistoryCheck.of(history, seen);
        System.out.printf(
                "kill storm: %d jobs, %d attempts, %d kills, %d repeated calls%n",
                history.jobs().size(), history.attempts().size(), KILLS, result.repeatedCalls());
        assertThat(result.violations()).isEmpty();
        logsAreQuiet();
    }

    private static void stop(One one) throws Exception {
        one.child.endInput();
        one.child.await("stopped");
        assertThat(one.child.awaitEnd()).as(one.name).isZero();
    }

    private static long unfinished(Windrow windrow) {
        return windrow.statistics().states().entrySet().stream()
                .filter(entry -> !entry.getKey().isFinished())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private HistoryCheck.Seen seen() throws Exception {
        Map<String, Integer> tried = new HashMap<>();
        Map<Long, JobState> acknowledged = new HashMap<>();
        List<HistoryCheck.Call> starts = new ArrayList<>();
        List<HistoryCheck.Call> ends = new ArrayList<>();
        for (List<String> line : Ledger.read(ledger)) {
            switch (line.get(0)) {
                case "try" -> tried.put(line.get(1), Integer.valueOf(line.get(2)));
                case "ack" -> acknowledged.put(Long.valueOf(line.get(1)), StormJobs.valueOf(line.get(2)).end);
                case "start" -> starts.add(call(line));
                case "end" -> ends.add(call(line));
                default -> throw new AssertionError("what is " + line);
            }
        }
        return new HistoryCheck.Seen(tried, Set.of(), acknowledged, starts, ends, killed, IN_FLIGHT);
    }

    private static HistoryCheck.Call call(List<String> line) {
        return new HistoryCheck.Call(Long.parseLong(line.get(1)), Integer.parseInt(line.get(2)), line.get(3));
    }

    /** The driver logs an error when two processes tidy up the same library at once: not ours. */
    private void logsAreQuiet() throws Exception {
        for (One one : all) {
            assertThat(one.child.log())
                    .as("the log of " + one.name)
                    .doesNotContain("SQLITE_BUSY", " ERROR dev.windrow");
        }
    }
}
