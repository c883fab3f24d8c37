package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.query.JobFilter;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.stores.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Workers and enqueuers, each in its own process, on one target, and the ledger in which they note their actions. */
final class Storm implements AutoCloseable {
    /** The jobs in the slots of a worker, and up to 25 ms of work that is done and not yet acknowledged. */
    static final int IN_FLIGHT = StormJobs.SLOTS + StormJobs.SLOTS * 25_000 / (StormJobs.MAX_WORK_MICROS / 2);

    private final Launcher launcher;
    private final Target target;
    private final Path ledger;
    private final List<One> all = new ArrayList<>();
    private final List<One> alive = new ArrayList<>();
    private final Map<String, Integer> gone = new HashMap<>();

    /**
     * One process of the storm.
     *
     * @param worker the name of its worker, which it may share with another one
     */
    record One(Child child, String name, String worker, boolean works) {}

    /** Starts a process that can see the target. */
    interface Launcher {
        Child start(Class<?> main, Object... arguments) throws IOException;
    }

    /** Returns how many jobs have not ended. */
    interface Unfinished {
        long count() throws Exception;
    }

    Storm(Path folder, Target target) {
        // The driver unpacks its library. Killed processes must not leave it in the machine's temporary folder.
        this(
                folder,
                target,
                (main, arguments) -> Child.start(folder, List.of("-Dorg.sqlite.tmpdir=" + folder), main, arguments));
    }

    Storm(Path folder, Target target, Launcher launcher) {
        this.launcher = launcher;
        this.target = target;
        this.ledger = folder.resolve("ledger");
    }

    /** Starts processes, each with a seed for its choices, and returns when they run. */
    void begin(int workers, int enqueuers, LongSupplier seeds) throws Exception {
        for (int i = 0; i < workers + enqueuers; i++) {
            alive.add(start(i < workers, seeds.getAsLong()));
        }
        for (One one : alive) {
            one.child.await("ready");
        }
    }

    private One start(boolean works, long seed) throws Exception {
        String name = (works ? "worker" : "enqueuer") + all.size();
        return works
                ? start(name, name)
                : add(new One(launcher.start(StormEnqueuer.class, target, ledger, name, seed), name, name, false));
    }

    private One start(String name, String worker) throws Exception {
        return add(new One(launcher.start(StormWorker.class, target, ledger, worker, name), name, worker, true));
    }

    private One add(One one) {
        all.add(one);
        return one;
    }

    int size() {
        return alive.size();
    }

    /** Kills one of the live processes after this time, and starts another one in its place. */
    void killAfter(long micros, int which, long seed) throws Exception {
        watch(which, micros);
        kill(which, seed);
    }

    /** Waits for this time, in which one of the live processes must not end. */
    void watch(int which, long micros) throws Exception {
        One one = alive.get(which);
        assertThat(one.child.awaitEnd(micros, TimeUnit.MICROSECONDS))
                .as("%s lived until it was killed; its log: %s", one.name, one.child.log())
                .isFalse();
    }

    /** Kills one of the live processes, and starts another one in its place. */
    void kill(int which, long seed) throws Exception {
        One victim = alive.get(which);
        gone(victim);
        victim.child.kill();
        alive.set(which, start(victim.works, seed));
    }

    /** Kills a worker. Its replacement has the name of another live worker. */
    void twin(int which, int other) throws Exception {
        gone(alive.get(which));
        alive.get(which).child.kill();
        alive.set(which, start("twin" + all.size(), alive.get(other).worker));
    }

    /** Stops one of the live processes until it is {@linkplain #resume resumed}. The process loses its jobs. */
    One pause(int which) throws Exception {
        One one = alive.get(which);
        gone(one);
        one.child.signal("STOP");
        return one;
    }

    void resume(int which) throws Exception {
        alive.get(which).child.signal("CONT");
    }

    /** Notes that a paused process was resumed long ago. It keeps the jobs that it starts from now on, unless it is killed or paused again. */
    void back(One one) throws IOException {
        note("back", one);
    }

    private void gone(One one) throws IOException {
        gone.merge(one.worker, 1, Integer::sum);
        note("gone", one);
    }

    private void note(String word, One one) throws IOException {
        try (Ledger lines = new Ledger(ledger)) {
            lines.write(word, one.name);
        }
    }

    /** Sends a line to one of the live processes. */
    void tell(int which, String line) throws Exception {
        watch(which, 0);
        alive.get(which).child.send(line);
    }

    /** Returns the number of lines in the ledger, which grows while jobs run. */
    int progress() throws Exception {
        return Ledger.read(ledger).size();
    }

    /** Waits until the ledger has this many lines more than now. */
    void awaitProgress(int lines) throws Exception {
        int before = progress();
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> progress() >= before + lines);
    }

    /** Lets the enqueuers stop, waits for the end of all their jobs, and lets the workers stop. */
    void settle() throws Exception {
        try (Windrow windrow = Windrow.open(target.newStore())) {
            settle(() -> {
                windrow.jobs(JobFilter.inState(JobState.SCHEDULED)).trigger();
                return unfinished(windrow);
            });
        }
    }

    void settle(Unfinished unfinished) throws Exception {
        stop(false);
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> unfinished.count() == 0);
        stop(true);
    }

    private void stop(boolean works) throws Exception {
        for (One one : alive) {
            if (one.works == works) {
                one.child.endInput();
            }
        }
        for (One one : alive) {
            if (one.works == works) {
                one.child.await("stopped");
                assertThat(one.child.awaitEnd()).as(one.name).isZero();
            }
        }
    }

    static long unfinished(Windrow windrow) {
        return windrow.monitor().statistics().states().entrySet().stream()
                .filter(entry -> !entry.getKey().isFinished())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Returns the calls to enqueue that were refused. */
    Set<String> refused() throws Exception {
        return calls("refused");
    }

    /** Returns the calls to enqueue with an unknown outcome. */
    Set<String> unknown() throws Exception {
        return calls("unknown");
    }

    private Set<String> calls(String word) throws Exception {
        Set<String> calls = new HashSet<>();
        for (List<String> line : Ledger.read(ledger)) {
            if (line.get(0).equals(word)) {
                calls.add(line.get(1));
            }
        }
        return calls;
    }

    /**
     * Returns the observations in the ledger.
     *
     * @param inFlight how many handler calls a killed worker may have begun that are not recorded
     */
    HistoryCheck.Seen seen(int inFlight) throws Exception {
        Map<String, Integer> tried = new HashMap<>();
        Set<String> nothing = new HashSet<>();
        Map<Long, Set<JobState>> acknowledged = new HashMap<>();
        Set<String> owed = new HashSet<>();
        List<HistoryCheck.Call> starts = new ArrayList<>();
        List<HistoryCheck.Call> ends = new ArrayList<>();
        Map<String, List<HistoryCheck.Call>> begun = new HashMap<>();
        Map<String, Integer> down = new HashMap<>();
        Set<HistoryCheck.Call> interrupted = new HashSet<>();
        for (List<String> line : Ledger.read(ledger)) {
            switch (line.get(0)) {
                case "try" -> tried.put(line.get(1), Integer.valueOf(line.get(2)));
                case "ack" -> {
                    StormJobs kind = StormJobs.valueOf(line.get(2));
                    acknowledged.put(Long.valueOf(line.get(1)), kind.ends);
                    owed.addAll(kind.owed(line.get(3)));
                }
                case "cancelled" -> acknowledged.put(Long.valueOf(line.get(1)), Set.of(JobState.CANCELLED));
                case "refused", "rolledback", "deduplicated" -> nothing.add(line.get(1));
                case "unknown", "thrown" -> {}
                case "gone" -> {
                    down.merge(line.get(1), 1, Integer::sum);
                    interrupted.addAll(begun.getOrDefault(line.get(1), List.of()));
                }
                case "back" -> down.merge(line.get(1), -1, Integer::sum);
                case "start" -> {
                    starts.add(call(line));
                    begun.computeIfAbsent(line.get(4), process -> new ArrayList<>())
                            .add(call(line));
                    if (down.getOrDefault(line.get(4), 0) > 0) {
                        interrupted.add(call(line));
                    }
                }
                case "end" -> ends.add(call(line));
                default -> throw new AssertionError("what is " + line);
            }
        }
        return new HistoryCheck.Seen(tried, nothing, acknowledged, owed, starts, ends, gone, interrupted, inFlight);
    }

    private static HistoryCheck.Call call(List<String> line) {
        return new HistoryCheck.Call(Long.parseLong(line.get(1)), Integer.parseInt(line.get(2)), line.get(3));
    }

    /** Returns the violations that the order of the ledger's lines shows. */
    List<String> atOnce() throws Exception {
        return LedgerCheck.of(Ledger.read(ledger));
    }

    /** Asserts that no process has logged any of these texts. */
    void logsAreWithout(String... words) throws Exception {
        for (One one : all) {
            assertThat(one.child.log()).as("the log of " + one.name).doesNotContain(words);
        }
    }

    /** Waits until each live process has logged this text. */
    void awaitEachLogHas(String words) {
        for (One one : alive) {
            await("the log of " + one.name)
                    .atMost(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(20))
                    .untilAsserted(() -> assertThat(one.child.log()).contains(words));
        }
    }

    @Override
    public void close() throws Exception {
        for (One one : all) {
            one.child.kill();
        }
    }
}
