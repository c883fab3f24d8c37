package dev.windrow.testkit;

import dev.windrow.InvalidRequestException;
import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.query.JobFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The settings of the tests of one {@link WindrowTest}. Not changed any more when a test has begun. */
final class TestSettings {
    /** The ways to run the jobs of a test. */
    enum Mode {
        MANUAL,
        INLINE,
        LIVE
    }

    /** Makes the place of a store. */
    interface Place {
        StorePlace make(ExtensionContext context);
    }

    /** The seed of the jitter of retries, so that a test has the same delays each time. */
    private static final long SEED = 42;

    final Mode mode;
    final List<Consumer<? super Worker.Builder>> workers = new ArrayList<>();
    final List<Consumer<? super Windrow.Builder>> windrows = new ArrayList<>();
    Place place = context -> StoreTemplate.of(context).copy();

    private final @Nullable Supplier<? extends @Nullable Windrow> over;

    /**
     * Creates settings without a handler.
     *
     * @param over returns the Windrow that something else has opened; null to open one for each test
     */
    TestSettings(Mode mode, @Nullable Supplier<? extends @Nullable Windrow> over) {
        this.mode = mode;
        this.over = over;
    }

    void requireOwnStore(String method) {
        if (over != null) {
            throw new InvalidRequestException(
                    method + " is not possible with over(...): something else opens the store");
        }
    }

    /** True if a test can begin: nothing else opens the Windrow, or it is open. */
    boolean isOpen() {
        return over == null || over.get() != null;
    }

    /** Begins a test. */
    TestRun begin(ExtensionContext context) {
        if (over != null) {
            Windrow windrow = over.get();
            if (windrow == null) {
                throw new InvalidRequestException(
                        "over(...) has returned null: the Windrow must be open when the test begins");
            }
            return new TestRun(windrow, null, workers, newestJob(windrow), () -> {});
        }
        StorePlace made = place.make(context);
        try {
            return begin(made);
        } catch (RuntimeException | Error e) {
            closeAfter(e, made);
            throw e;
        }
    }

    /** Closes what a failed start leaves open. */
    private static void closeAfter(Throwable failure, AutoCloseable open) {
        try {
            open.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    private TestRun begin(StorePlace made) {
        WatchedStore store = new WatchedStore(made.store());
        Windrow.Builder builder = Windrow.configure(store)
                .time(mode == Mode.LIVE ? TimeSource.system() : new ManualTime())
                .random(new Random(SEED));
        windrows.forEach(setting -> setting.accept(builder));
        Windrow windrow = builder.open();
        try {
            return begin(made, store, windrow);
        } catch (RuntimeException | Error e) {
            closeAfter(e, windrow);
            throw e;
        }
    }

    private TestRun begin(StorePlace made, WatchedStore store, Windrow windrow) {
        TestRun run = new TestRun(windrow, store, workers, 0, () -> {
            try {
                windrow.close();
            } finally {
                made.close();
            }
        });
        if (mode == Mode.INLINE) {
            store.runInline(run.runner);
        } else if (mode == Mode.LIVE) {
            run.startWorker();
        }
        return run;
    }

    private static long newestJob(Windrow windrow) {
        return windrow.jobs(JobFilter.ALL).newestFirst().limit(1).page().jobs().stream()
                .mapToLong(job -> job.id())
                .findFirst()
                .orElse(0);
    }
}
