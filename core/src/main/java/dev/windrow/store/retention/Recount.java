package dev.windrow.store.retention;

import dev.windrow.store.Command;
import dev.windrow.store.OpenStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Corrects the sums of failures by the differences that {@link OpenStore#wrongFailureSums} has counted. Changes of other transactions in between
 * stay. Does nothing if another process has corrected them in between. Returns the number of error codes that were corrected.
 *
 * @param lastAtMillis when the sums were last corrected; null if never
 * @param sums the differences
 */
public record Recount(@Nullable Long lastAtMillis, List<Sum> sums) implements Command<Integer> {
    /** Copies the list. */
    public Recount {
        sums = List.copyOf(sums);
    }

    /**
     * A sum that is wrong.
     *
     * @param errorCode the code; empty for none
     * @param missing the number of jobs that it lacks; negative if it has too many
     * @param firstAt when the first one of these jobs failed, as far as that was searched
     * @param lastAt when the last one failed, likewise
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
