package dev.windrow.store.retention;

import dev.windrow.store.Command;
import dev.windrow.store.OpenStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Corrects the sums of failures by what {@link OpenStore#wrongFailureSums} has counted: what others add meanwhile stays. Does nothing if another
 * process has done so in between. Answers the number of error codes that were corrected.
 *
 * @param lastAtMillis when the sums were last corrected; null: never
 * @param sums by how much they are wrong
 */
public record Recount(@Nullable Long lastAtMillis, List<Sum> sums) implements Command<Integer> {
    /** Copies the list. */
    public Recount {
        sums = List.copyOf(sums);
    }

    /**
     * A sum that is wrong.
     *
     * @param errorCode the code; empty: none
     * @param missing jobs that it lacks; negative: that it has too many
     * @param firstAt when the first one of these jobs has failed, as far as that was looked for
     * @param lastAt the same of the last one
     */
    public record Sum(
            String errorCode,
            long missing,
            @Nullable Long firstAt,
            @Nullable Long lastAt) {}

    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "correcting the sums of failures";
    }
}
