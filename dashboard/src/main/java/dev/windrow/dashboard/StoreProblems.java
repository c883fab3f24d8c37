package dev.windrow.dashboard;

import dev.windrow.wire.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The problems of a store: the first ones of each kind, and the number of all. A store may have a type without a worker for each of its jobs. */
final class StoreProblems {
    private final int most;
    private final List<JsonObject> first = new ArrayList<>();
    private final Map<String, Integer> counts = new LinkedHashMap<>();

    /** @param most the largest number of listed problems of one kind */
    StoreProblems(int most) {
        this.most = most;
    }

    void add(String kind, @Nullable String subject, Consumer<JsonObject> facts) {
        if (counts.merge(kind, 1, Integer::sum) <= most) {
            JsonObject problem = new JsonObject().put("problem", kind).put("subject", subject);
            facts.accept(problem);
            first.add(problem);
        }
    }

    JsonObject json() {
        JsonObject numbers = new JsonObject();
        counts.forEach(numbers::put);
        return new JsonObject().put("problems", first).put("problemsInAll", numbers);
    }
}
