package dev.windrow.cli.job;

import dev.windrow.Dedupe;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.Values;
import dev.windrow.payload.Json;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --key}, which names a job by its type and its dedupe key in place of its id. */
class KeyOption {
    static final String NOT_BOTH = "give an id or --key, not both";

    @Option(
            names = "--key",
            paramLabel = "TEXT",
            description = "The newest job of --type that was enqueued with this dedupe key, instead of an id.")
    private @Nullable String key;

    final boolean isGiven() {
        return key != null;
    }

    /** Checks the key and the type; returns the search for their job. */
    final Function<Windrow, JobRef<Json>> search(@Nullable String type) {
        if (type == null) {
            throw new UsageException("--key needs --type: each type has its own dedupe keys");
        }
        JobType<Json, Json> named = JobType.raw(Values.type("--type", type));
        String text = Values.whole("--key", String.valueOf(key));
        String checked = Values.named("--key", () -> Dedupe.key(text).key());
        return windrow -> windrow.job(named, checked).ref();
    }
}
