package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The rules for the failures of a type: the error code of a failure, and the policy by which it is retried, if at all. Immutable: each rule returns a
 * copy.
 *
 * <pre>{@code
 * RetryRules.of(RetryPolicy.exponential(Duration.ofSeconds(1)))
 *         .code(SocketTimeoutException.class, "DEPENDENCY:TIMEOUT")
 *         .never(IllegalArgumentException.class)
 *         .retry("DEPENDENCY:*", RetryPolicy.fixed(Duration.ofMinutes(1)));
 * }</pre>
 *
 * <p>A failure gets its code first: the code of the {@link JobFailure}, else that of the first rule {@link #code} that names its class, else
 * {@code INTERNAL:EXCEPTION}. Then the first rule {@link #never} or {@link #retry} that names its class or its code decides. If no rule does, the
 * default policy decides.
 *
 * <p>A rule that names a class also applies to its subclasses. The rules are compared with the exception itself. If no rule names it, they are
 * compared with its cause, and so on: a wrapped exception is found. A {@code JobFailure} is compared by its code only. If it is permanent, or sets
 * the time of the next attempt, that holds. A policy that is stored with a job replaces all policies of these rules. Failures that are never retried
 * stay so.
 *
 * <p>Timeouts ({@code TIMEOUT:EXECUTION}) and the crashes of workers ({@code INTERNAL:CRASHED}) have only a code. These rules apply to a crash if a
 * worker of the process that reclaims the job handles the type. Else {@link RetryPolicy#DEFAULT} applies. Payloads that cannot be read and results
 * that cannot be written are never retried.
 */
@CheckReturnValue
public final class RetryRules {
    /** The maximum number of compared causes, because a chain of causes may be a cycle. */
    private static final int DEPTH = 20;

    /** The error code of a class of exceptions. */
    private record Name(Class<? extends Throwable> type, String code) {}

    /**
     * The rule for some failures.
     *
     * @param type the class of the exceptions, or null
     * @param pattern the codes, or null
     * @param policy the policy of their retries; null: they are never retried
     */
    private record Rule(
            @Nullable Class<? extends Throwable> type,
            @Nullable String pattern,
            @Nullable RetryPolicy policy) {
        private boolean names(@Nullable Throwable thrown, String code) {
            return (type != null && type.isInstance(thrown)) || (pattern != null && ErrorCodes.matches(pattern, code));
        }
    }

    private final RetryPolicy defaultPolicy;
    private final List<Name> names;
    private final List<Rule> rules;

    private RetryRules(RetryPolicy defaultPolicy, List<Name> names, List<Rule> rules) {
        this.defaultPolicy = defaultPolicy;
        this.names = names;
        this.rules = rules;
    }

    /** Returns rules that retry all failures by this policy. */
    public static RetryRules of(RetryPolicy defaultPolicy) {
        return new RetryRules(defaultPolicy, List.of(), List.of());
    }

    /**
     * Returns these rules with an error code for exceptions of this class, instead of {@code INTERNAL:EXCEPTION}.
     *
     * @throws InvalidRequestException if the code does not have the form of an error code
     */
    public RetryRules code(Class<? extends Throwable> type, String code) {
        return new RetryRules(defaultPolicy, with(names, new Name(type, ErrorCodes.check(code))), rules);
    }

    /** Returns these rules without retries for exceptions of this class: the job ends {@code FAILED} at once. */
    public RetryRules never(Class<? extends Throwable> type) {
        return with(new Rule(type, null, null));
    }

    /**
     * Returns these rules without retries for failures with these codes: the job ends {@code FAILED} at once.
     *
     * @param codes one code, or all of a category: {@code RESOURCE:*}
     * @throws InvalidRequestException if the codes have another form
     */
    public RetryRules never(String codes) {
        return with(new Rule(null, ErrorCodes.checkPattern(codes), null));
    }

    /** Returns these rules with a retry policy for exceptions of this class. */
    public RetryRules retry(Class<? extends Throwable> type, RetryPolicy policy) {
        return with(new Rule(type, null, policy));
    }

    /**
     * Returns these rules with a retry policy for failures with these codes.
     *
     * @param codes one code, or all of a category: {@code RESOURCE:*}
     * @throws InvalidRequestException if the codes have another form
     */
    public RetryRules retry(String codes, RetryPolicy policy) {
        return with(new Rule(null, ErrorCodes.checkPattern(codes), policy));
    }

    private RetryRules with(Rule rule) {
        return new RetryRules(defaultPolicy, names, with(rules, rule));
    }

    private static <T> List<T> with(List<T> list, T more) {
        List<T> longer = new ArrayList<>(list);
        longer.add(more);
        return List.copyOf(longer);
    }

    /** Returns the policy of failures that no rule names. */
    public RetryPolicy defaultPolicy() {
        return defaultPolicy;
    }

    /** Returns the error code of an exception that a handler threw. */
    public String codeOf(Throwable thrown) {
        if (thrown instanceof JobFailure said) {
            return said.code();
        }
        Name name = first(names, thrown, (each, e) -> each.type.isInstance(e));
        return name == null ? ErrorCodes.INTERNAL_EXCEPTION : name.code;
    }

    /**
     * Returns the policy by which a failure is retried; null if it is never retried.
     *
     * @param thrown the exception of the handler; null if it threw none that counts
     * @param code the error code of the failure
     */
    public @Nullable RetryPolicy policyFor(@Nullable Throwable thrown, String code) {
        Throwable judged = thrown instanceof JobFailure ? null : thrown;
        Rule rule = first(rules, judged, (each, e) -> each.names(e, code));
        return rule == null ? defaultPolicy : rule.policy;
    }

    /** Returns the first rule that names the exception. If no rule does, the first rule that names its cause, and so on. */
    private static <T> @Nullable T first(
            List<T> all, @Nullable Throwable thrown, BiPredicate<T, @Nullable Throwable> names) {
        if (all.isEmpty()) {
            return null;
        }
        Throwable e = thrown;
        for (int depth = 0; depth < DEPTH && (depth == 0 || e != null); depth++) {
            for (T each : all) {
                if (names.test(each, e)) {
                    return each;
                }
            }
            e = e == null ? null : cause(e);
        }
        return null;
    }

    /** Returns the cause, or null. The class of the exception is foreign code, so the call may fail. */
    private static @Nullable Throwable cause(Throwable e) {
        try {
            return e.getCause();
        } catch (Throwable inCause) {
            return null;
        }
    }
}
