package dev.windrow.tests.testkit;

import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.testkit.WindrowTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import java.util.Arrays;
import java.util.Collections;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Measures the test kit, and prints each figure beside its goal. The name of this class has no "Test", so a build runs it only by
 * {@code -Dtest=KitBench}.
 */
@OnEachStore
@Execution(ExecutionMode.SAME_THREAD)
class KitBench {
    private static final int STORES = 40;
    private static final int ROUNDS = 7;
    private static final int JOBS = 1000;
    private static final JobType<String, String> GREET = JobType.of("greet", String.class, String.class);

    private final StoreKind kind;
    private ExtensionContext context;

    @RegisterExtension
    final BeforeEachCallback remember = extension -> context = extension;

    KitBench(StoreKind kind) {
        this.kind = kind;
    }

    private WindrowTest kit(WindrowTest kit) {
        return Kits.on(kind, kit).handle(GREET, (name, job) -> "Hello, " + name);
    }

    /** The time of a test that does nothing, from its begin to its end. */
    @Test
    void freshStores() throws Exception {
        double[] opened = new double[STORES];
        double[] closed = new double[STORES];
        for (int i = 0; i < STORES; i++) {
            WindrowTest test = kit(WindrowTest.manual());
            long begin = System.nanoTime();
            test.beforeEach(context);
            opened[i] = millis(begin);
            begin = System.nanoTime();
            test.afterEach(context);
            closed[i] = millis(begin);
        }
        print("a fresh store", opened, kind == StoreKind.SQLITE ? "10" : "-");
        print("its removal", closed, "-");
    }

    @Test
    void drainedJobs() throws Exception {
        double[] drained = new double[ROUNDS];
        double[] inline = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            WindrowTest test = kit(WindrowTest.manual());
            test.beforeEach(context);
            Windrow windrow = test.windrow();
            windrow.enqueueAll(GREET, Collections.nCopies(JOBS, "Ada"));
            long begin = System.nanoTime();
            if (test.drain().completed() != JOBS) {
                throw new IllegalStateException("not all jobs ran");
            }
            drained[i] = millis(begin);
            test.afterEach(context);
            test = kit(WindrowTest.inline());
            test.beforeEach(context);
            begin = System.nanoTime();
            for (int job = 0; job < JOBS; job++) {
                test.assertThat(test.windrow().enqueue(GREET, "Ada")).isCompleted();
            }
            inline[i] = millis(begin);
            test.afterEach(context);
        }
        print(JOBS + " drained jobs", drained, "1000");
        print(JOBS + " inline jobs, each read", inline, "-");
    }

    private static double millis(long begin) {
        return (System.nanoTime() - begin) / 1e6;
    }

    private void print(String what, double[] millis, String goal) {
        double first = millis[0];
        double[] sorted = millis.clone();
        Arrays.sort(sorted);
        System.out.printf(
                Locale.ROOT,
                "%s %-28s goal %5s ms: median %.1f, longest after the first %.1f, first %.1f%n",
                kind,
                what,
                goal,
                sorted[sorted.length / 2],
                Arrays.stream(millis).skip(1).max().orElse(first),
                first);
    }
}
