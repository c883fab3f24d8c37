package dev.windrow.store.job;

import dev.windrow.JobType;
import dev.windrow.store.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds the newest job that was enqueued with a dedupe key. Writes nothing. It is a command so that a transaction of the caller finds its own jobs;
 * otherwise {@link dev.windrow.store.OpenStore#find} finds committed ones.
 *
 * @param types the names of the type of the job; of a chain that holds the key, the type of its first job
 * @param key the dedupe key
 */
public record FindKeyed(List<String> types, String key) implements Command<Optional<Long>> {
    public FindKeyed {
        types = List.copyOf(types);
    }

    /** Finds a job of this type, or of one of its aliases. */
    public static FindKeyed of(JobType<?, ?> type, String key) {
        List<String> types = new ArrayList<>(type.aliases());
        types.add(type.name());
        return new FindKeyed(types, key);
    }

    @Override
    public Phase phase() {
        return Phase.CHANGE;
    }

    @Override
    public String what() {
        return "finding the job with dedupe key '" + key + "'";
    }
}
