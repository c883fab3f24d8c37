package dev.windrow.engine;

import dev.windrow.AttemptOutcome;
import dev.windrow.Durations;
import dev.windrow.ErrorCodes;
import dev.windrow.JobFailure;
import dev.windrow.RetryPolicy;
import dev.windrow.store.Reclaim;
import dev.windrow.store.Suspect;
import dev.windrow.store.Transition;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which the end of an attempt becomes a transition: pure functions, the only place where they are written.
 */
final class Outcomes {
    /** A job that is lost this often before its handler was called is suspected of killing its workers. */
    static final int MAX_LOST = 3;

    private static final Duration MAX_DELAY = Duration.ofDays(3650);

    private Outcomes() {}

    /**
     * What limits and spaces the attempts of a job.
     *
     * @param used attempts burned before this one
     * @param maxAttempts how many at most
     * @param retry how they are spaced; asked for only when there will be another one
     */
    record Budget(int used, int maxAttempts, Supplier<RetryPolicy> retry) {
        private boolean isLast() {
            return used + 1 >= maxAttempts;
        }
    }

    /** Judges an ended attempt. */
    static Verdict verdict(Ending ending, Budget budget, long finishedAtMillis, RandomGenerator random) {
        if (ending instanceof Ending.Returned) {
            return Verdict.of(Transition.COMPLETE, AttemptOutcome.SUCCEEDED);
        }
        if (ending instanceof Ending.HandedBack) {
            return Verdict.of(Transition.HAND_BACK, AttemptOutcome.RELEASED);
        }
        if (ending instanceof Ending.Cancelled cancelled) {
            return cancelled(cancelled.failure());
        }
        Failure failure = failure(ending);
        if (!failure.retryable || budget.isLast()) {
            return failure.verdict(Transition.FAIL, null);
        }
        Duration delay = failure.after == null ? budget.retry.get().delay(budget.used + 1, random) : failure.after;
        return failure.verdict(Transition.RETRY_LATER, finishedAtMillis + millis(delay));
    }

    /** That a handler was interrupted says nothing; that it met something else on its way out may. */
    private static Verdict cancelled(@Nullable Throwable failure) {
        String trace = failure == null || failure instanceof InterruptedException ? null : Texts.stackTrace(failure);
        return new Verdict(Transition.CANCEL_RUNNING, AttemptOutcome.CANCELLED, null, null, trace, null);
    }

    /** A failed attempt, whatever made it fail. */
    private record Failure(
            AttemptOutcome outcome,
            String code,
            @Nullable String detail,
            @Nullable Throwable cause,
            boolean retryable,
            @Nullable Duration after) {
        private Verdict verdict(Transition transition, @Nullable Long nextRunAtMillis) {
            return new Verdict(
                    transition,
                    outcome,
                    code,
                    Texts.detail(detail),
                    cause == null ? null : Texts.stackTrace(cause),
                    nextRunAtMillis);
        }
    }

    private static Failure failure(Ending ending) {
        if (ending instanceof Ending.Threw threw) {
            Throwable e = threw.failure();
            if (e instanceof JobFailure said) {
                return new Failure(
                        AttemptOutcome.FAILED,
                        said.code(),
                        said.getMessage(),
                        // Said on purpose: where it was said is of no use, unless it passes on what happened to it.
                        said.getCause() == null ? null : said,
                        said.isRetryable(),
                        said.retryAfter());
            }
            return new Failure(AttemptOutcome.FAILED, ErrorCodes.INTERNAL_EXCEPTION, Texts.describe(e), e, true, null);
        }
        if (ending instanceof Ending.TimedOut late) {
            String detail = "ran longer than " + Durations.text(late.limit());
            return new Failure(
                    AttemptOutcome.TIMEOUT, ErrorCodes.TIMEOUT_EXECUTION, detail, late.failure(), true, null);
        }
        if (ending instanceof Ending.Undecodable unreadable) {
            Throwable e = unreadable.failure();
            return new Failure(AttemptOutcome.FAILED, ErrorCodes.INVALID_PAYLOAD, Texts.describe(e), e, false, null);
        }
        if (ending instanceof Ending.Unstorable unstorable) {
            // The work was done: to run it again would do it twice.
            Throwable e = unstorable.failure();
            return new Failure(AttemptOutcome.FAILED, ErrorCodes.INVALID_RESULT, Texts.describe(e), e, false, null);
        }
        throw new IllegalArgumentException(ending + " is no failure");
    }

    /** Judges a job whose worker is gone. */
    static Reclaim reclaim(Suspect suspect, long nowMillis, RandomGenerator random, String actor) {
        if (suspect.cancelRequested()) {
            AttemptOutcome outcome = suspect.started() ? AttemptOutcome.RECOVERED : AttemptOutcome.LOST;
            return new Reclaim(suspect, Transition.CANCEL_RUNNING, outcome, null, actor);
        }
        if (!suspect.started() && suspect.lostBefore() < MAX_LOST) {
            return new Reclaim(suspect, Transition.RETRY_LATER, AttemptOutcome.LOST, nowMillis, actor);
        }
        Budget budget = new Budget(suspect.used(), suspect.maxAttempts(), () -> retryPolicy(suspect));
        if (budget.isLast()) {
            return new Reclaim(suspect, Transition.FAIL, AttemptOutcome.RECOVERED, null, actor);
        }
        long due = nowMillis + millis(budget.retry.get().delay(budget.used + 1, random));
        return new Reclaim(suspect, Transition.RETRY_LATER, AttemptOutcome.RECOVERED, due, actor);
    }

    private static RetryPolicy retryPolicy(Suspect suspect) {
        return RetryPolicies.stored(
                suspect.retryPolicy(), RetryPolicy.DEFAULT, suspect.hold().id());
    }

    private static long millis(Duration delay) {
        return delay.compareTo(MAX_DELAY) > 0 ? MAX_DELAY.toMillis() : Math.max(0, delay.toMillis());
    }
}
