package dev.windrow.tests.bench;

import dev.windrow.BulkResult;
import dev.windrow.JobSelection;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.monitor.Monitor;
import dev.windrow.monitor.SuggestField;
import dev.windrow.monitor.ThroughputFilter;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures reads that an operator waits for, on a large file: quick previews, suggestions and throughput. The name of this class has no "Test", so a
 * build runs it only by {@code -Dtest=QuickReadsBench}.
 */
class QuickReadsBench {
    private static final int JOBS = Integer.getInteger("windrow.bench.jobs", 10_000_000);
    private static final int CALLS = 5;

    @TempDir
    Path folder;

    @Test
    void readsThatAnOperatorWaitsFor() throws Exception {
        Path file = folder.resolve("large.db");
        Windrow.open(SqliteStore.at(file)).close();
        LargeStore.fill(Target.file(file), JOBS);
        try (Windrow windrow = Windrow.open(SqliteStore.at(file))) {
            Map<String, Supplier<Object>> calls = new LinkedHashMap<>();
            preview(calls, windrow, "cancel all", JobFilter.ALL, JobSelection::cancel);
            preview(calls, windrow, "cancel a type", JobFilter.ALL.withType("type3"), JobSelection::cancel);
            preview(calls, windrow, "retry FAILED", JobFilter.inState(JobState.FAILED), JobSelection::retry);
            preview(calls, windrow, "delete all", JobFilter.ALL, JobSelection::delete);
            preview(calls, windrow, "delete by tag", JobFilter.ALL.withTags("all"), JobSelection::delete);
            preview(calls, windrow, "delete by name, no match", JobFilter.ALL.withName("x"), JobSelection::delete);
            preview(calls, windrow, "trigger a queue", JobFilter.ALL.withQueue("queue1"), JobSelection::trigger);
            Monitor monitor = windrow.monitor();
            for (SuggestField field : SuggestField.values()) {
                calls.put(
                        "suggest " + field,
                        () -> monitor.suggest(field, "", 100).size());
            }
            calls.put(
                    "suggest customer-49",
                    () -> monitor.suggest(SuggestField.TAG, "customer-49", 100).size());
            for (int hours : new int[] {1, 24, 168}) {
                calls.put(
                        "throughput of " + hours + " h",
                        () -> monitor.throughput(Duration.ofHours(hours)).all().succeeded());
            }
            calls.put(
                    "throughput of a type",
                    () -> monitor.throughput(Duration.ofHours(1), ThroughputFilter.ALL.withType("type3"))
                            .all()
                            .succeeded());
            calls.forEach(QuickReadsBench::measure);
        }
    }

    private static void preview(
            Map<String, Supplier<Object>> calls,
            Windrow windrow,
            String name,
            JobFilter filter,
            Function<JobSelection, BulkResult> verb) {
        calls.put("preview: " + name, () -> {
            BulkResult result = verb.apply(windrow.jobs(filter).quickPreview());
            return (result.isAtLeast() ? "at least " : "") + result.count();
        });
    }

    private static void measure(String name, Supplier<Object> call) {
        long[] millis = new long[CALLS];
        Object result = "";
        for (int i = 0; i < CALLS; i++) {
            long began = System.nanoTime();
            result = call.get();
            millis[i] = (System.nanoTime() - began) / 1_000;
        }
        System.out.printf(
                Locale.ROOT,
                "%-36s first %8.1f ms, best %8.1f ms, longest %8.1f ms: %s%n",
                name,
                millis[0] / 1000.0,
                LongStream.of(millis).min().orElseThrow() / 1000.0,
                LongStream.of(millis).max().orElseThrow() / 1000.0,
                result);
    }
}
