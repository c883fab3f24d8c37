package dev.windrow.wire;

import dev.windrow.Durations;
import dev.windrow.JobState;
import dev.windrow.retention.RetentionResult;
import dev.windrow.retention.RetentionRules;
import dev.windrow.retention.RetentionRun;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The JSON forms of retention. */
public final class RetentionJson {
    private RetentionJson() {}

    /** Returns the rules. */
    public static JsonObject rules(RetentionRules rules) {
        return new JsonObject().list("retention", rules.rules(), RetentionJson::rule);
    }

    /** Returns the part of statistics: the rules for all types by state, those of types, and the last pass of the workers. */
    public static JsonObject summary(RetentionRules rules, Optional<RetentionRun> last) {
        JsonObject fields = new JsonObject();
        for (JobState state : JobState.values()) {
            RetentionRules.Rule rule = state.isFinished() ? rules.rule(state) : null;
            if (rule != null) {
                fields.put(state.name(), text(rule.keep()));
            }
        }
        return fields.list(
                        "types",
                        rules.rules().stream()
                                .filter(rule -> rule.type() != null)
                                .toList(),
                        RetentionJson::rule)
                .put("lastAt", last.map(RetentionRun::at).orElse(null))
                .put("last", last.map(RetentionRun::result).orElse(null));
    }

    private static JsonObject rule(RetentionRules.Rule rule) {
        return new JsonObject()
                .put("state", rule.state())
                .put("type", rule.type())
                .put("keep", text(rule.keep()));
    }

    private static String text(@Nullable Duration keep) {
        return keep == null ? "forever" : Durations.text(keep);
    }

    /** Returns the result of a pass. */
    public static JsonObject cleanup(RetentionResult done) {
        JsonObject deleted = new JsonObject();
        for (JobState state : JobState.values()) {
            if (state.isFinished()) {
                deleted.put(state.name(), done.deleted().getOrDefault(state, 0L));
            }
        }
        return new JsonObject()
                .put("deleted", deleted)
                .put("kept", done.kept())
                .put("complete", done.complete())
                .put("dryRun", false)
                .put("archived", null);
    }

    /** Returns the result of a dry run. */
    public static JsonObject preview(RetentionResult done) {
        return cleanup(done).put("dryRun", true);
    }
}
