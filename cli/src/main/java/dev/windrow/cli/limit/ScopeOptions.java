package dev.windrow.cli.limit;

import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.Values;
import dev.windrow.limit.LimitTarget;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The arguments that name a queue, a type or a concurrency key. */
final class ScopeOptions {
    @Parameters(
            arity = "0..1",
            paramLabel = "QUEUE",
            description = "The queue. Instead of a queue, give --type or --key.")
    private @Nullable String queue;

    @Option(names = "--type", paramLabel = "TYPE", description = "The jobs of this type, in all queues.")
    private @Nullable String type;

    @Option(names = "--key", paramLabel = "TEXT", description = "The jobs with this concurrency key.")
    private @Nullable String key;

    boolean isGiven() {
        return queue != null || type != null || key != null;
    }

    LimitTarget scope() {
        String queueName = queue;
        String typeName = type;
        String keyText = key;
        int given = (queueName == null ? 0 : 1) + (typeName == null ? 0 : 1) + (keyText == null ? 0 : 1);
        if (given == 0) {
            throw new UsageException("the target is missing: give a queue, --type TYPE or --key TEXT");
        }
        if (given > 1) {
            throw new UsageException("give only one of a queue, --type and --key: each has its own limits");
        }
        if (queueName != null) {
            return Values.named("QUEUE", () -> LimitTarget.queue(queueName));
        }
        if (typeName != null) {
            return Values.named("--type", () -> LimitTarget.type(typeName));
        }
        String whole = Values.whole("--key", String.valueOf(keyText));
        return Values.named("--key", () -> LimitTarget.key(whole));
    }
}
