package dev.windrow.store.retention;

import dev.windrow.JobState;
import dev.windrow.retention.RetentionRules;
import dev.windrow.store.Author;
import dev.windrow.store.Command;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Changes one rule of retention; returns all rules. A change writes an {@link dev.windrow.monitor.AuditEntry}.
 *
 * @param rule the new rule; its time has no meaning for a reset
 * @param reset true to forget the rule of a type, so that the rule of the state counts; or to reset the rule of a state to {@link
 *     RetentionRules#DEFAULT}
 * @param author the author, for the audit
 */
public record RetentionChange(RetentionRules.Rule rule, boolean reset, Author author)
        implements Command<RetentionRules> {
    @Override
    public String actor() {
        return author.actor();
    }

    /** Returns the state. */
    public JobState state() {
        return rule.state();
    }

    /** Returns the type; null for all types. */
    public @Nullable String type() {
        return rule.type();
    }

    /** Returns the rules after the change. */
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
