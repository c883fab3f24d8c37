package dev.windrow.workflow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.JobState;
import dev.windrow.JobType;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A filter of chains for a listing. It matches the chains that match all its parts. Begin with {@link #ALL}. Immutable. */
@CheckReturnValue
public final class ChainFilter {
    /** The filter for every chain. */
    public static final ChainFilter ALL = new ChainFilter(Set.of(), null);

    private final Set<JobState> states;
    private final @Nullable String type;

    private ChainFilter(Set<JobState> states, @Nullable String type) {
        this.states = states;
        this.type = type;
    }

    /** Returns this filter for chains whose last job is in one of these states. Without states: any. */
    public ChainFilter withStates(JobState... states) {
        return new ChainFilter(Set.copyOf(List.of(states)), type);
    }

    /** Returns this filter for chains whose first job has this type. */
    public ChainFilter withType(String type) {
        return new ChainFilter(states, Objects.requireNonNull(type, "type"));
    }

    /** Returns this filter for chains whose first job has this type, under its name and not its aliases. */
    public ChainFilter withType(JobType<?, ?> type) {
        return withType(type.name());
    }

    /** True if the filter matches the chain. */
    public boolean matches(ChainInfo chain) {
        return (states.isEmpty() || states.contains(chain.state())) && (type == null || type.equals(chain.type()));
    }

    @Override
    public String toString() {
        return "ChainFilter[states=%s, type=%s]".formatted(states, type);
    }
}
