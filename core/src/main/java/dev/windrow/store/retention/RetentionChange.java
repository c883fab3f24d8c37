package dev.windrow.store.retention;

import dev.windrow.JobState;
import dev.windrow.retention.RetentionRules;
import dev.windrow.store.Command;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Changes one rule of retention; answers all of them. A change leaves an {@link dev.windrow.monitor.AuditEntry}.
 *
 * @param rule what is to count from now on; its time is of no meaning for a reset
 * @param reset forget the rule: what is said of the state counts, or of a state what {@link RetentionRules#DEFAULT} says
 * @param actor the actor, for the audit
 */
public record RetentionChange(RetentionRules.Rule rule, boolean reset, String actor)
        implements Command<RetentionRules> {
    /** The state. */
    public JobState state() {
        return rule.state();
    }

    /** The type; null: all. */
    public @Nullable String type() {
        return rule.type();
    }

    /** The rules after it. */
    public RetentionRules apply(RetentionRules rules) {
        if (!reset) {
            return rules.with(rule);
        }
        String type = type();
        return type == null
                ? rules.with(Objects.requireNonNull(RetentionRules.DEFAULT.rule(state())))
                : rules.without(state(), type);
    }

    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "changing a rule of retention";
    }
}
