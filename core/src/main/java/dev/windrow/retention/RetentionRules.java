package dev.windrow.retention;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rules of retention: how long ended jobs are kept. A rule for a state and a type takes precedence over the rule for the state. Without a rule
 * for a state, the one of {@link #DEFAULT} applies. {@link Retention#cleanup(Cleanup)} describes the jobs that are kept in spite of their rule.
 *
 * @param rules the rules, sorted by state and type, the rule for all types first. At most one for each state and type
 */
@CheckReturnValue
public record RetentionRules(List<Rule> rules) {
    /** The longest time, except forever: 36500 days. */
    public static final Duration LONGEST = Duration.ofDays(36_500);

    /** The default rules: {@code COMPLETED} 30 days, {@code FAILED} 90 days, {@code CANCELLED} 30 days. */
    public static final RetentionRules DEFAULT = new RetentionRules(List.of(
            new Rule(JobState.COMPLETED, null, Duration.ofDays(30)),
            new Rule(JobState.FAILED, null, Duration.ofDays(90)),
            new Rule(JobState.CANCELLED, null, Duration.ofDays(30))));

    /**
     * One rule.
     *
     * @param state a state in which jobs have ended
     * @param type the type of the jobs; null: any
     * @param keep the shortest time for which a job is kept after its end, 0 to {@link #LONGEST}, to the millisecond; null: forever
     */
    public record Rule(
            JobState state, @Nullable String type, @Nullable Duration keep) {
        /**
         * Checks the values.
         *
         * @throws InvalidRequestException if jobs in this state have not ended, the name is not allowed for a type, or the time is out of range
         */
        public Rule {
            if (!state.isFinished()) {
                throw new InvalidRequestException(
                        "retention of %s is not allowed: only of COMPLETED, FAILED and CANCELLED, the states of jobs that have ended"
                                .formatted(state));
            }
            if (type != null) {
                Bounds.type(type);
            }
            if (keep != null && (keep.isNegative() || keep.compareTo(LONGEST) > 0)) {
                throw new InvalidRequestException("retention %s of %s is not allowed: 0s to %s, or forever"
                        .formatted(Durations.text(keep), state, Durations.text(LONGEST)));
            }
            keep = keep == null ? null : Duration.ofMillis(keep.toMillis());
        }

        private String text() {
            return "%s%s %s"
                    .formatted(
                            state, type == null ? "" : " of " + type, keep == null ? "forever" : Durations.text(keep));
        }
    }

    /** Sorts the rules. */
    public RetentionRules {
        rules = rules.stream()
                .sorted(Comparator.comparing(Rule::state)
                        .thenComparing(Rule::type, Comparator.nullsFirst(Comparator.naturalOrder())))
                .toList();
    }

    /** Returns the time for which a job of this type is kept that has ended in this state; null: forever. */
    public @Nullable Duration keep(JobState state, String type) {
        Rule found = rule(state, type);
        if (found == null) {
            found = rule(state);
        }
        return found == null ? Objects.requireNonNull(DEFAULT.rule(state)).keep() : found.keep();
    }

    /** Returns the rule of a state, for all types without a rule of their own; null if there is none. */
    public @Nullable Rule rule(JobState state) {
        return find(state, null);
    }

    /** Returns the rule of a state and a type; null if there is none. */
    public @Nullable Rule rule(JobState state, String type) {
        return find(state, type);
    }

    private @Nullable Rule find(JobState state, @Nullable String type) {
        for (Rule rule : rules) {
            if (rule.state() == state && Objects.equals(rule.type(), type)) {
                return rule;
            }
        }
        return null;
    }

    /** Returns these rules with another rule, which replaces the one for its state and type. */
    public RetentionRules with(Rule rule) {
        List<Rule> changed = new ArrayList<>(removing(rule.state(), rule.type()).rules);
        changed.add(rule);
        return new RetentionRules(changed);
    }

    /** Returns these rules without the rule of a state. Rules for its types stay. */
    public RetentionRules without(JobState state) {
        return removing(state, null);
    }

    /** Returns these rules without the rule of a state and a type. */
    public RetentionRules without(JobState state, String type) {
        return removing(state, type);
    }

    private RetentionRules removing(JobState state, @Nullable String type) {
        return new RetentionRules(rules.stream()
                .filter(rule -> rule.state() != state || !Objects.equals(rule.type(), type))
                .toList());
    }

    /** Returns a text for humans and for the audit: {@code COMPLETED 30d, FAILED 90d, FAILED of mail.send forever, CANCELLED 30d}. */
    public String text() {
        return rules.stream().map(Rule::text).collect(Collectors.joining(", "));
    }
}
