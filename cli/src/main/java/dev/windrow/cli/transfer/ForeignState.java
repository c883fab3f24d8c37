package dev.windrow.cli.transfer;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The states of jobs in other systems, with the words by which tables made by hand name them. */
@SuppressWarnings("ImmutableEnumChecker") // Set.of is immutable; its type does not say so.
enum ForeignState {
    WAITING("waiting", "pending", "queued", "enqueued", "ready", "new", "available", "scheduled", "retry", "retrying"),
    RUNNING("running", "processing", "in_progress", "started", "active", "claimed", "locked", "working"),
    COMPLETED("completed", "complete", "done", "finished", "success", "succeeded", "processed"),
    FAILED("failed", "failure", "error", "errored", "dead", "timeout", "timed_out"),
    CANCELLED("cancelled", "canceled", "aborted");

    private final Set<String> words;

    ForeignState(String... words) {
        this.words = Set.of(words);
    }

    /** Returns the state that a word names, in any case. */
    static Optional<ForeignState> of(String word) {
        String plain = word.toLowerCase(Locale.ROOT).replaceAll("[- ]", "_");
        return Stream.of(values()).filter(state -> state.words.contains(plain)).findFirst();
    }

    /** Returns the key in the report. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
