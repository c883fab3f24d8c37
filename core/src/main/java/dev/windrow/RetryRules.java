package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * How the failures of a type are taken: under which error code, whether another attempt follows, and when. Immutable: each
 * rule returns a copy.
 *
 * <pre>{@code
 * RetryRules.of(RetryPolicy.exponential(Duration.ofSeconds(1)))
 *         .code(SocketTimeoutException.class, "DEPENDENCY:TIMEOUT")
 *         .never(IllegalArgumentException.class)
 *         .retry("DEPENDENCY:*", RetryPolicy.fixed(Duration.ofMinutes(1)));
 * }</pre>
 *
 * <p>A failure gets its code first: from the {@link JobFailure} that says one, else by the first rule {@link #code} that names
 * its class, else {@code INTERNAL:EXCEPTION}. Then the first rule {@link #never} or {@link #retry} that names its class or its code
 * decides; where none does, the policy that the rules began with.
 *
 * <p>A rule that names a class means its subclasses too. Rules look at the exception itself; where none names it, at its cause,
 * and so on: an exception that was wrapped on its way is found. A {@code JobFailure} is found by its code alone, and what it
 * says stands: that it is permanent, or when the next attempt is due. A policy that was stored with a job spaces its retries
 * instead of all policies here; what is never retried stays so.
 *
 * <p>Time-outs ({@code TIMEOUT:EXECUTION}) and jobs of dead workers ({@code INTERNAL:CRASHED}) have only a code. Those of dead
 * workers are taken by these rules where a worker of the process that takes them back handles the type, and else by {@link
 * RetryPolicy#DEFAULT}. Payloads that cannot be read and results that cannot be written are never retried.
 */
@CheckReturnValue
public final class RetryRules {
    /** Causes that are looked at: a chain of causes may be a cycle. */
    private static final int DEPTH = 20;

    /** What an exception is called. */
    private record Name(Class<? extends Throwable> type, String code) {}

    /**
     * What becomes of some failures.
     *
     * @param type the exceptions that it names, or null
     * @param pattern the codes that it names, or null
     * @param policy when they are retried; null: never
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

    /** No rules yet: all failures are retried by this policy. */
    public static RetryRules of(RetryPolicy defaultPolicy) {
        return new RetryRules(defaultPolicy, List.of(), List.of());
    }

    /**
     * Exceptions of this class fail their attempt under this code instead of {@code INTERNAL:EXCEPTION}.
     *
     * @throws InvalidRequestException if it is no error code
     */
    public RetryRules code(Class<? extends Throwable> type, String code) {
        return new RetryRules(defaultPolicy, with(names, new Name(type, ErrorCodes.check(code))), rules);
    }

    /** Exceptions of this class end their job {@code FAILED} at once. */
    public RetryRules never(Class<? extends Throwable> type) {
        return with(new Rule(type, null, null));
    }

    /**
     * Failures under these codes end their job {@code FAILED} at once.
     *
     * @param codes one code, or all of a category: {@code RESOURCE:*}
     * @throws InvalidRequestException if it is neither
     */
    public RetryRules never(String codes) {
        return with(new Rule(null, ErrorCodes.checkPattern(codes), null));
    }

    /** Exceptions of this class are retried by this policy. */
    public RetryRules retry(Class<? extends Throwable> type, RetryPolicy policy) {
        return with(new Rule(type, null, policy));
    }

    /**
     * Failures under these codes are retried by this policy.
     *
     * @param codes one code, or all of a category: {@code RESOURCE:*}
     * @throws InvalidRequestException if it is neither
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

    /** The policy of failures that no rule names. */
    public RetryPolicy defaultPolicy() {
        return defaultPolicy;
    }

    /** The error code of what a handler threw. */
    public String codeOf(Throwable thrown) {
        if (thrown instanceof JobFailure said) {
            return said.code();
        }
        Name name = first(names, thrown, (each, e) -> each.type.isInstance(e));
        return name == null ? ErrorCodes.INTERNAL_EXCEPTION : name.code;
    }

    /**
     * How a failure is retried; null: never.
     *
     * @param thrown what the handler threw; null when it threw nothing that counts
     * @param code its error code
     */
    public @Nullable RetryPolicy policyFor(@Nullable Throwable thrown, String code) {
        Throwable judged = thrown instanceof JobFailure ? null : thrown;
        Rule rule = first(rules, judged, (each, e) -> each.names(e, code));
        return rule == null ? defaultPolicy : rule.policy;
    }

    /** The first that names the exception; where none does, the first that names its cause, and so on. */
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

    /** The exception is a stranger's: asking it may fail. */
    private static @Nullable Throwable cause(Throwable e) {
        try {
            return e.getCause();
        } catch (Throwable inCause) {
            return null;
        }
    }
}
