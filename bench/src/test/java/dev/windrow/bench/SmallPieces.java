package dev.windrow.bench;

import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.RetryPolicy;
import dev.windrow.json.JacksonCodec;
import dev.windrow.payload.PayloadCodec;
import dev.windrow.store.Transition;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * The cost of a job outside of the database: each piece, in nanoseconds. The name of the class keeps it out of the
 * build; docs/benchmarks.md says how to run it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SmallPieces {
    /** A payload as applications have them. */
    public record Order(long id, String customer, String email, double total, int items) {}

    private final Order order = new Order(4711, "Ada Lovelace", "ada@example.org", 199.90, 3);
    private final PayloadCodec codec = new JacksonCodec();
    private final String json = codec.encode(order, Order.class);
    private final RandomGenerator random = RandomGenerator.getDefault();
    private final RetryPolicy policy = RetryPolicy.DEFAULT;
    private final String stored = policy.text();
    private JobState state = JobState.RUNNING;

    @Benchmark
    public boolean transitionIsAllowed() {
        return Transition.COMPLETE.isAllowedFrom(state);
    }

    @Benchmark
    public String codecEncodes() {
        return codec.encode(order, Order.class);
    }

    @Benchmark
    public @Nullable Object codecDecodes() {
        return codec.decode(json, Order.class);
    }

    @Benchmark
    public Duration retryDelay() {
        return policy.delay(2, random);
    }

    @Benchmark
    public RetryPolicy retryPolicyIsRead() {
        return RetryPolicy.parse(stored);
    }

    @Benchmark
    public JobRequest<String, Void> jobIsMade() {
        return Work.NO_OP.job("x").withPriority(1).withMaxAttempts(5);
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void run() throws RunnerException {
        new Runner(new OptionsBuilder()
                        .include(SmallPieces.class.getName())
                        .shouldFailOnError(true)
                        .build())
                .run();
    }
}
