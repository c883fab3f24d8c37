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
    private static Claimer claimer(int slots, int limit, AtomicInteger requested) {
        Settings settings = new Settings(
                new WorkerId("w", "i"),
                Map.of("q", limit),
                Map.of("a", batch(JobType.raw("a")), "b", batch(JobType.raw("b"))),
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
                    requested.addAndGet(((Claim) arguments[0]).limit());
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
                new RunTimes(slots, 1),
                NOTHING);
        claimer.begin();
        return claimer;
    }

    /** Lets two threads claim at the same time, many times. Returns the most jobs that they have requested together. */
    private static int mostRequested(int slots, int limit) throws Exception {
        List<AtomicInteger> requested = new ArrayList<>();
        List<Claimer> claimers = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            requested.add(new AtomicInteger());
            claimers.add(claimer(slots, limit, requested.get(i)));
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
    void twoHandlersDoNotClaimForTheSameSlot() throws Exception {
        assertThat(mostRequested(1, Settings.UNLIMITED)).isEqualTo(2);
    }

    @Test
    void twoHandlersTogetherKeepTheLimitOfAQueue() throws Exception {
        assertThat(mostRequested(8, 1)).isEqualTo(1);
    }
}
