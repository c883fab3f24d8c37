package dev.windrow.cli;

import dev.windrow.Scope;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The words that name a queue or a type. */
final class ScopeOptions {
    @Parameters(arity = "0..1", paramLabel = "QUEUE", description = "The queue; or else:")
    private @Nullable String queue;

    @Option(names = "--type", paramLabel = "TYPE", description = "The jobs of this type, in all queues.")
    private @Nullable String type;

    Scope scope() {
        String queueName = queue;
        String typeName = type;
        if (queueName != null && typeName == null) {
            return Values.named("QUEUE", () -> Scope.queue(queueName));
        }
        if (typeName != null && queueName == null) {
            return Values.named("--type", () -> Scope.type(typeName));
        }
        throw new UsageException(
                queueName == null
                        ? "which one? Give a queue, or --type TYPE"
                        : "give a queue or --type, not both: what is said of each holds by itself");
    }
}
