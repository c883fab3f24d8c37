package dev.windrow.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobType;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.monitor.Listeners;
import dev.windrow.payload.Json;
import dev.windrow.store.OpenStore;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.WorkerId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

class ClaimerTest {
    private static final int ROUNDS = 20_000;
    private static final int SPINS = 1000;

    private static final Claimer.Delivery NOTHING = new Claimer.Delivery() {
        @Override
        public void deliver(List<ClaimedJob> jobs, Claimer.Group group) {}

        @Override
        public void answered() {}

        @Override
        public boolean isDry() {
            return true;
        }
    };

    private static Registration<?, ?> batch(JobType<Json, Json> type) {
        return new Registration.OfBatch<>(type, 2, Duration.ZERO, jobs -> {});
    }

    /** Returns a claimer for two batch handlers, of two jobs a call. */
    private static Claimer claimer(int slots, int limit, IntConsumer requested) {
        return claimer(
                slots,
                limit,
                Map.of("a", batch(JobType.raw("a")), "b", batch(JobType.raw("b"))),
                new RunTimes(slots, 1),
                requested);
    }

    private static Claimer claimer(
            int slots,
            int limit,
            Map<String, Registration<?, ?>> registrations,
            RunTimes runTimes,
            IntConsumer requested) {
        Settings settings = new Settings(
                new WorkerId("w", "i"),
                Map.of("q", limit),
                registrations,
                List.of(),
                slots,
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Map.of(),
                Claim.EVERY_PRIORITY);
        OpenStore store = (OpenStore) Proxy.newProxyInstance(
                ClaimerTest.class.getClassLoader(), new Class<?>[] {OpenStore.class}, (proxy, method, arguments) -> {
                    requested.accept(((Claim) arguments[0]).limit());
                    return new CompletableFuture<>();
                });
        Races.Still time = new Races.Still();
        Claimer claimer = new Claimer(
                settings,
                new EngineContext(
                        store,
                        time,
                        new SplittableRandom(1),
                        null,
                        new Listeners(List.of(), time),
                        null,
                        null,
                        null,
                        List.of()),
                runTimes,
                NOTHING);
        claimer.begin();
        return claimer;
    }

    /** Lets two threads claim at the same time, many times. Returns the most jobs that they have requested together. */
    private static int mostRequested(int slots, int limit) throws Exception {
        List<AtomicInteger> requested = new ArrayList<>();
        List<Claimer> claimers = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            AtomicInteger sum = new AtomicInteger();
            requested.add(sum);
            claimers.add(claimer(slots, limit, sum::addAndGet));
        }
        AtomicInteger arrived = new AtomicInteger();
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> claim(claimers, arrived));
        claim(claimers, arrived);
        other.get(60, TimeUnit.SECONDS);
        return requested.stream().mapToInt(AtomicInteger::get).max().orElse(0);
    }

    private static void claim(List<Claimer> claimers, AtomicInteger arrived) {
        for (int i = 0; i < ROUNDS; i++) {
            arrived.incrementAndGet();
            for (int spins = 0; arrived.get() < 2 * (i + 1); spins++) {
                Thread.onSpinWait();
                if (spins > SPINS) {
                    Thread.yield(); // the other thread may wait for this processor
                }
            }
            claimers.get(i).claim();
        }
    }

    @Test
    void jobsAreClaimedAheadWhileHandlersAreShortButNotForBatches() {
        RunTimes runTimes = new RunTimes(2, 10);
        for (int i = 0; i < 20; i++) {
            runTimes.ended(0);
        }
        assertThat(runTimes.ahead()).isEqualTo(10);
        List<Integer> limits = new ArrayList<>();
        Registration<?, ?> one = new Registration.OfOne<>(JobType.raw("a"), (input, job) -> input);
        claimer(2, Settings.UNLIMITED, Map.of("a", one), runTimes, limits::add).claim();
        claimer(2, Settings.UNLIMITED, Map.of("a", batch(JobType.raw("a"))), runTimes, limits::add)
                .claim();
        assertThat(limits).containsExactly(12, 4);
    }

    @Test
    void aClaimIsForAtMost1000Jobs() {
        List<Integer> limits = new ArrayList<>();
        claimer(600, Settings.UNLIMITED, limits::add).claim();
        // The slots that are left have 200 jobs of the other handler.
        assertThat(limits).containsExactly(1000, 200);
    }

    @Test
    void twoHandlersDoNotClaimForTheSameSlot() throws Exception {
        assertThat(mostRequested(1, Settings.UNLIMITED)).isEqualTo(2);
    }

    @Test
    void twoHandlersTogetherKeepTheLimitOfAQueue() throws Exception {
        assertThat(mostRequested(8, 1)).isEqualTo(1);
    }
}
