package dev.windrow.cli;

import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options {@code --concurrency-key}, {@code --concurrency-limit} and {@code --sequence-key} of a new job. */
public final class KeyOptions {
    @Option(
            names = "--concurrency-key",
            paramLabel = "TEXT",
            description =
                    "A key of jobs that must not all run at once, such as a tenant. 1 to 200 characters, default none.")
    private @Nullable String concurrencyKey;

    @Option(
            names = "--concurrency-limit",
            paramLabel = "N",
            description = "Jobs with the key that may run at once. 1 to 1000000, default unlimited.")
    private @Nullable String concurrencyLimit;

    @Option(
            names = "--sequence-key",
            paramLabel = "TEXT",
            description = "A key of jobs that run one after the other, in their order.")
    private @Nullable String sequenceKey;

    public boolean isGiven() {
        return Stream.of(concurrencyKey, concurrencyLimit, sequenceKey).anyMatch(value -> value != null);
    }

    /** Gives the values to the fields of a job, by their names. */
    public void set(BiConsumer<String, @Nullable String> fields) {
        fields.accept("concurrencyKey", concurrencyKey);
        fields.accept("concurrencyLimit", concurrencyLimit);
        fields.accept("sequenceKey", sequenceKey);
    }
}
