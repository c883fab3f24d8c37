package dev.windrow.engine.worker;

import dev.windrow.AttemptOutcome;
import dev.windrow.Durations;
import dev.windrow.ErrorCodes;
import dev.windrow.JobCancel;
import dev.windrow.JobFailure;
import dev.windrow.JobPark;
import dev.windrow.JobSnooze;
import dev.windrow.RetryPolicy;
import dev.windrow.RetryRules;
import dev.windrow.engine.job.RetryPolicies;
import dev.windrow.engine.payload.Texts;
import dev.windrow.payload.ContentLostException;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Suspect;
import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which the end of an attempt becomes a transition, as pure functions. Only two rules are in other
 * classes. {@link Settler} drops a result that the store refuses. A store cancels a job whose cancellation was
 * requested.
 */
final class Outcomes {
    /** The number of lost attempts without a handler call after which a job is suspected to be a poison job. */
    static final int MAX_LOST = 3;

    private static final Duration MAX_DELAY = Duration.ofDays(3650);

    private Outcomes() {}

    /**
     * The limits of a job's attempts and the delays between them.
     *
     * @param job the job
     * @param used attempts that count before this one
     * @param maxAttempts the most attempts
     * @param rules the rules that decide which failures are retried, and after which delay
     * @param own the job's own policy in stored form, or null
     */
    record Budget(
            long job,
            int used,
            int maxAttempts,
            RetryRules rules,
            @Nullable String own) {
        private boolean isLast() {
            return used + 1 >= maxAttempts;
        }

        /** Returns the delay before the attempt after this failure; null if the rules exclude another attempt. */
        private @Nullable Duration delay(@Nullable Throwable thrown, String code, RandomGenerator random) {
            RetryPolicy policy = rules.policyFor(thrown, code);
            return policy == null
                    ? null
                    : RetryPolicies.delay(RetryPolicies.stored(own, policy, job), used + 1, random);
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
        if (ending instanceof Ending.Paused paused) {
            return paused(paused, finishedAtMillis);
        }
        if (ending instanceof Ending.Cancelled cancelled) {
            return cancelled(cancelled.failure());
        }
        if (ending instanceof Ending.Threw threw && isWish(threw.failure())) {
            if (threw.failure() instanceof JobPark park) {
                return parked(park, finishedAtMillis);
            }
            return threw.failure() instanceof JobSnooze snooze
                    ? snoozed(snooze, finishedAtMillis)
                    : cancelled(threw.failure());
        }
        Failure failure = failure(ending, budget.rules);
        Long due = due(failure, budget, finishedAtMillis, random);
        return failure.verdict(due == null ? Transition.FAIL : Transition.RETRY_LATER, due);
    }

    /** True if the thrown object is not a failure but a request of the handler for its job. */
    static boolean isWish(@Nullable Throwable thrown) {
        return thrown instanceof JobSnooze || thrown instanceof JobCancel || thrown instanceof JobPark;
    }

    private static Verdict paused(Ending.Paused paused, long finishedAtMillis) {
        long until = Math.max(paused.untilMillis(), finishedAtMillis);
        return paused.event() == null ? Verdict.snoozed(until) : Verdict.parked(until, paused.event());
    }

    private static Verdict parked(JobPark park, long finishedAtMillis) {
        return Verdict.parked(finishedAtMillis + park.timeout().toMillis(), null);
    }

    private static Verdict snoozed(JobSnooze snooze, long finishedAtMillis) {
        Duration delay = snooze.delay();
        Instant until = snooze.until();
        long due = finishedAtMillis;
        if (delay != null) {
            due += millis(delay);
        } else if (until != null) {
            due = notBefore(finishedAtMillis, until);
        }
        return Verdict.snoozed(due);
    }

    /**
     * Returns the verdict for a cancelled attempt. Its interrupt explains nothing, so no stack trace is stored for it;
     * another exception of the handler may explain something. A handler that cancels its own job gives the reason.
     */
    private static Verdict cancelled(@Nullable Throwable failure) {
        String reason = failure instanceof JobCancel said ? Texts.detail(said.reason()) : null;
        String trace = failure == null || failure instanceof InterruptedException || isWish(failure)
                ? null
                : Texts.stackTrace(failure);
        return new Verdict(
                Transition.CANCEL_RUNNING,
                AttemptOutcome.CANCELLED,
                new Verdict.Reason(null, reason, trace),
                null,
                null);
    }

    /**
     * A failed attempt, for each cause of failure.
     *
     * @param trace the exception whose stack trace is stored, or null
     * @param again the data for the decision about another attempt
     */
    private record Failure(
            AttemptOutcome outcome,
            String code,
            @Nullable String detail,
            @Nullable Throwable trace,
            Again again) {
        private Verdict verdict(Transition transition, @Nullable Long nextRunAtMillis) {
            String stackTrace = trace == null ? null : Texts.stackTrace(trace);
            return new Verdict(
                    transition,
                    outcome,
                    new Verdict.Reason(code, Texts.detail(detail), stackTrace),
                    nextRunAtMillis,
                    null);
        }

        private static Failure permanent(String code, Throwable thrown) {
            return new Failure(AttemptOutcome.FAILED, code, Texts.describe(thrown), thrown, Again.NEVER);
        }
    }

    /**
     * The data for the decision about another attempt.
     *
     * @param retryable true if another attempt may follow
     * @param thrown the handler's exception, for the rules that name it; null if no such exception counts
     * @param after the delay that the handler requested, or null
     * @param at the time that the handler requested, or null
     */
    private record Again(
            boolean retryable,
            @Nullable Throwable thrown,
            @Nullable Duration after,
            @Nullable Instant at) {
        private static final Again NEVER = new Again(false, null, null, null);
        /** The rules for the code of the failure decide. */
        private static final Again BY_CODE = new Again(true, null, null, null);
    }

    private static Failure failure(Ending ending, RetryRules rules) {
        if (ending instanceof Ending.Threw threw && threw.failure() instanceof ContentLostException lost) {
            // Lost content does not come back by itself.
            return Failure.permanent(ErrorCodes.INTERNAL_CONTENT, lost);
        }
        if (ending instanceof Ending.Threw threw) {
            Throwable e = threw.failure();
            return e instanceof JobFailure said
                    ? said(said)
                    : new Failure(
                            AttemptOutcome.FAILED,
                            rules.codeOf(e),
                            Texts.describe(e),
                            e,
                            new Again(true, e, null, null));
        }
        if (ending instanceof Ending.TimedOut late) {
            String detail = "ran longer than " + Durations.text(late.limit());
            return new Failure(
                    AttemptOutcome.TIMEOUT, ErrorCodes.TIMEOUT_EXECUTION, detail, late.failure(), Again.BY_CODE);
        }
        if (ending instanceof Ending.Exited exited) {
            // A killed process leaves its jobs with the same code, because the rules for one case are right for the
            // other.
            String detail = exited.where().getMessage();
            return new Failure(
                    AttemptOutcome.FAILED, ErrorCodes.INTERNAL_CRASHED, detail, exited.where(), Again.BY_CODE);
        }
        if (ending instanceof Ending.NotCommitted) {
            String detail = "the handler returned without the commit of the transaction in which it had ended its job";
            return new Failure(AttemptOutcome.FAILED, ErrorCodes.NOT_COMMITTED, detail, null, Again.BY_CODE);
        }
        if (ending instanceof Ending.Undecodable unreadable) {
            return Failure.permanent(ErrorCodes.INVALID_PAYLOAD, unreadable.failure());
        }
        if (ending instanceof Ending.Unstorable unstorable) {
            // The work was done, and another attempt would do it twice.
            return Failure.permanent(ErrorCodes.INVALID_RESULT, unstorable.failure());
        }
        throw new IllegalArgumentException(ending + " is no failure");
    }

    private static Failure said(JobFailure said) {
        return new Failure(
                AttemptOutcome.FAILED,
                said.code(),
                said.getMessage(),
                // The handler threw it on purpose, so its stack trace is of no use, unless it has a cause.
                said.getCause() == null ? null : said,
                new Again(said.isRetryable(), null, said.retryAfter(), said.retryAt()));
    }

    /**
     * Returns the time of the attempt after this failure; null if none follows. A request of the handler takes
     * precedence over all rules.
     */
    private static @Nullable Long due(Failure failure, Budget budget, long finishedAtMillis, RandomGenerator random) {
        Again again = failure.again;
        if (!again.retryable || budget.isLast()) {
            return null;
        }
        if (again.at != null) {
            return notBefore(finishedAtMillis, again.at);
        }
        Duration delay = again.after == null ? budget.delay(again.thrown, failure.code, random) : again.after;
        return delay == null ? null : finishedAtMillis + millis(delay);
    }

    /**
     * Judges a job whose worker has died.
     *
     * @param rules the rules of its type, as far as this process knows them
     */
    static Orphan reclaim(Suspect suspect, RetryRules rules, long nowMillis, RandomGenerator random, String actor) {
        if (suspect.cancelRequested()) {
            AttemptOutcome outcome = suspect.started() ? AttemptOutcome.RECOVERED : AttemptOutcome.LOST;
            return new Orphan(suspect, Transition.CANCEL_RUNNING, outcome, null, actor);
        }
        if (!suspect.started() && suspect.lostBefore() < MAX_LOST) {
            return new Orphan(suspect, Transition.RETRY_LATER, AttemptOutcome.LOST, nowMillis, actor);
        }
        Budget budget = new Budget(
                suspect.leaseToken().id(), suspect.used(), suspect.maxAttempts(), rules, suspect.retryPolicy());
        Duration delay = budget.isLast() ? null : budget.delay(null, ErrorCodes.INTERNAL_CRASHED, random);
        return delay == null
                ? new Orphan(suspect, Transition.FAIL, AttemptOutcome.RECOVERED, null, actor)
                : new Orphan(
                        suspect, Transition.RETRY_LATER, AttemptOutcome.RECOVERED, nowMillis + millis(delay), actor);
    }

    private static long notBefore(long millis, Instant time) {
        return time.isBefore(Instant.ofEpochMilli(millis)) ? millis : time.toEpochMilli();
    }

    private static long millis(Duration delay) {
        return delay.compareTo(MAX_DELAY) > 0 ? MAX_DELAY.toMillis() : Math.max(0, delay.toMillis());
    }
}
