package dev.windrow.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.JobCancel;
import dev.windrow.JobFailure;
import dev.windrow.JobPark;
import dev.windrow.JobSnooze;
import dev.windrow.RetryPolicy;
import dev.windrow.RetryRules;
import dev.windrow.engine.payload.Texts;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Suspect;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutcomesTest {
    private static final long NOW = 1_000_000;

    private static Outcomes.Budget budget(int used, int maxAttempts, RetryRules rules) {
        return new Outcomes.Budget(1, used, maxAttempts, rules, null);
    }

    private static Outcomes.Budget budget(int used, int maxAttempts) {
        return budget(used, maxAttempts, RetryRules.of(RetryPolicy.fixed(Duration.ofSeconds(7))));
    }

    private static Verdict verdict(Ending ending, int used, int maxAttempts) {
        return Outcomes.verdict(ending, budget(used, maxAttempts), NOW, new Random(1));
    }

    @Test
    void aHandlerThatReturnsCompletesItsJob() {
        Verdict verdict = verdict(new Ending.Returned("{}", null), 0, 3);
        assertThat(verdict.transition()).isEqualTo(Transition.COMPLETE);
        assertThat(verdict.outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(verdict.reason().code()).isNull();
        assertThat(verdict.nextRunAtMillis()).isNull();
    }

    @Test
    void aResultThatCannotBeStoredFailsForGoodBecauseTheWorkWasDone() {
        Verdict verdict = verdict(new Ending.Unstorable(new IllegalStateException("no serializer")), 0, 3);
        assertThat(verdict.transition()).isEqualTo(Transition.FAIL);
        assertThat(verdict.outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(verdict.reason().code()).isEqualTo(ErrorCodes.INVALID_RESULT);
        assertThat(verdict.reason().detail()).contains("no serializer");
        assertThat(verdict.reason().stackTrace()).contains("IllegalStateException");
    }

    @Test
    void aCancelledAttemptEndsItsJobWithAnyBudget() {
        Verdict verdict = verdict(new Ending.Cancelled(new InterruptedException()), 0, 3);
        assertThat(verdict.transition()).isEqualTo(Transition.CANCEL_RUNNING);
        assertThat(verdict.outcome()).isEqualTo(AttemptOutcome.CANCELLED);
        assertThat(verdict.reason().code()).isNull();
        assertThat(verdict.reason().stackTrace())
                .as("an interrupt says nothing")
                .isNull();
        assertThat(verdict(new Ending.Cancelled(null), 2, 3).transition()).isEqualTo(Transition.CANCEL_RUNNING);
        assertThat(verdict(new Ending.Cancelled(new IllegalStateException("boom")), 0, 3)
                        .reason()
                        .stackTrace())
                .contains("boom");
    }

    @Test
    void anUndecodablePayloadFailsForGood() {
        Verdict verdict = verdict(new Ending.Undecodable(new IllegalArgumentException("not JSON")), 0, 3);
        assertThat(verdict.transition()).isEqualTo(Transition.FAIL);
        assertThat(verdict.reason().code()).isEqualTo(ErrorCodes.INVALID_PAYLOAD);
    }

    @Test
    void anExceptionIsRetriedAfterTheDelayOfThePolicy() {
        Verdict verdict = verdict(new Ending.Threw(new IllegalStateException("boom")), 0, 3);
        assertThat(verdict.transition()).isEqualTo(Transition.RETRY_LATER);
        assertThat(verdict.outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(verdict.reason().code()).isEqualTo(ErrorCodes.INTERNAL_EXCEPTION);
        assertThat(verdict.reason().detail()).isEqualTo("java.lang.IllegalStateException: boom");
        assertThat(verdict.reason().stackTrace()).contains("anExceptionIsRetriedAfterTheDelayOfThePolicy");
        assertThat(verdict.nextRunAtMillis()).isEqualTo(NOW + 7000);
    }

    @Test
    void thePolicyGetsTheNumberOfCountedAttemptsIncludingThisOne() {
        RetryPolicy delays = RetryPolicy.delays(Duration.ofMillis(10), Duration.ofMillis(20), Duration.ofMillis(30));
        Ending ending = new Ending.Threw(new IllegalStateException());
        for (int used = 0; used < 3; used++) {
            Verdict verdict = Outcomes.verdict(ending, budget(used, 9, RetryRules.of(delays)), NOW, new Random(1));
            assertThat(verdict.nextRunAtMillis()).isEqualTo(NOW + 10 * (used + 1));
        }
    }

    @Test
    void theLastAttemptThatFailsEndsTheJob() {
        Ending ending = new Ending.Threw(new IllegalStateException());
        assertThat(verdict(ending, 1, 3).transition()).isEqualTo(Transition.RETRY_LATER);
        assertThat(verdict(ending, 2, 3).transition()).isEqualTo(Transition.FAIL);
        assertThat(verdict(ending, 2, 3).nextRunAtMillis()).isNull();
        assertThat(verdict(ending, 0, 1).transition()).isEqualTo(Transition.FAIL);
        // An operator may have lowered the budget below the used attempts.
        assertThat(verdict(ending, 5, 3).transition()).isEqualTo(Transition.FAIL);
    }

    @Test
    void aRetryableFailureKeepsItsCodeAndIsRetried() {
        Verdict verdict = verdict(new Ending.Threw(JobFailure.retryable("DEPENDENCY:DOWN", "try later")), 0, 3);
        assertThat(verdict.transition()).isEqualTo(Transition.RETRY_LATER);
        assertThat(verdict.reason().code()).isEqualTo("DEPENDENCY:DOWN");
        assertThat(verdict.reason().detail()).isEqualTo("try later");
        assertThat(verdict.reason().stackTrace()).as("said on purpose").isNull();
        assertThat(verdict.nextRunAtMillis()).isEqualTo(NOW + 7000);
    }

    @Test
    void aFailureWithADelayIsRetriedAfterItAndStillCounts() {
        Ending ending = new Ending.Threw(JobFailure.retryAfter("RESOURCE:BUSY", null, Duration.ofMinutes(2)));
        Verdict verdict = verdict(ending, 0, 3);
        assertThat(verdict.outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(verdict.reason().detail()).isNull();
        assertThat(verdict.nextRunAtMillis()).isEqualTo(NOW + 120_000);
        assertThat(verdict(ending, 2, 3).transition()).isEqualTo(Transition.FAIL);
    }

    @Test
    void aDelayThatOverflowsTheClockIsCut() {
        Ending ending =
                new Ending.Threw(JobFailure.retryAfter("RESOURCE:BUSY", null, Duration.ofSeconds(Long.MAX_VALUE)));
        assertThat(verdict(ending, 0, 3).nextRunAtMillis())
                .isEqualTo(NOW + Duration.ofDays(3650).toMillis());
    }

    @Test
    void aPermanentFailureEndsTheJobWithAnyBudget() {
        Throwable cause = new IllegalArgumentException("the cause");
        Verdict verdict = verdict(
                new Ending.Threw(
                        JobFailure.permanent("INVALID_INPUT:FILE", "no").causedBy(cause)),
                0,
                1000);
        assertThat(verdict.transition()).isEqualTo(Transition.FAIL);
        assertThat(verdict.reason().code()).isEqualTo("INVALID_INPUT:FILE");
        assertThat(verdict.reason().detail()).isEqualTo("no");
        assertThat(verdict.reason().stackTrace()).contains("the cause");
    }

    @Test
    void anErrorOfTheVirtualMachineFailsTheAttemptLikeAnException() {
        for (Throwable error :
                new Throwable[] {new StackOverflowError(), new NoClassDefFoundError("x/Y"), new OutOfMemoryError("heap")
                }) {
            Verdict verdict = verdict(new Ending.Threw(error), 0, 3);
            assertThat(verdict.transition()).isEqualTo(Transition.RETRY_LATER);
            assertThat(verdict.reason().code()).isEqualTo(ErrorCodes.INTERNAL_EXCEPTION);
            assertThat(verdict.reason().detail()).startsWith(error.getClass().getName());
        }
    }

    @Test
    void aTimeoutIsAFailedAttemptThatIsRetriedWhileAttemptsAreLeft() {
        Verdict verdict = verdict(new Ending.TimedOut(Duration.ofSeconds(5), new InterruptedException()), 0, 2);
        assertThat(verdict.transition()).isEqualTo(Transition.RETRY_LATER);
        assertThat(verdict.outcome()).isEqualTo(AttemptOutcome.TIMEOUT);
        assertThat(verdict.outcome().countsAsAttempt()).isTrue();
        assertThat(verdict.reason().code()).isEqualTo(ErrorCodes.TIMEOUT_EXECUTION);
        assertThat(verdict.reason().detail()).isEqualTo("ran longer than 5s");
        assertThat(verdict.reason().stackTrace()).contains("InterruptedException");
        Verdict last = verdict(new Ending.TimedOut(Duration.ofSeconds(5), null), 1, 2);
        assertThat(last.transition()).isEqualTo(Transition.FAIL);
        assertThat(last.reason().stackTrace()).isNull();
    }

    @Test
    void aJobThatIsHandedBackCountsNoAttempt() {
        Verdict verdict = verdict(new Ending.HandedBack(), 2, 3);
        assertThat(verdict.transition()).isEqualTo(Transition.HAND_BACK);
        assertThat(verdict.outcome()).isEqualTo(AttemptOutcome.RELEASED);
        assertThat(verdict.outcome().countsAsAttempt()).isFalse();
        assertThat(verdict.reason().code()).isNull();
    }

    @Test
    void detailsAndStackTracesAreCutAndContainNoNul() {
        String giant = "x\0y".repeat(100_000);
        Verdict verdict = verdict(new Ending.Threw(new IllegalStateException(giant)), 0, 3);
        assertThat(verdict.reason().detail())
                .hasSize(ErrorCodes.MAX_DETAIL)
                .startsWith("java.lang.IllegalStateException: xyxy")
                .doesNotContain("\0");
        assertThat(verdict.reason().stackTrace())
                .hasSizeLessThanOrEqualTo(Texts.MAX_STACK_TRACE)
                .doesNotContain("\0");
        assertThat(verdict.reason().stackTrace()).hasSizeGreaterThan(Texts.MAX_STACK_TRACE / 2);
    }

    @Test
    void anExceptionThatThrowsFromItsOwnMessageFailsTheAttempt() {
        RuntimeException hostile = new RuntimeException() {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
                throw new IllegalStateException("not even this");
            }
        };
        Verdict verdict = verdict(new Ending.Threw(hostile), 0, 3);
        assertThat(verdict.transition()).isEqualTo(Transition.RETRY_LATER);
        assertThat(verdict.reason().detail()).contains("could not be read");
        assertThat(verdict.reason().stackTrace()).contains("could not be printed");
    }

    // ---- requests ---------------------------------------------------------------------------------------------------

    @Test
    void aParkedJobsTimeoutBeginsAtTheEndOfTheAttemptWithAnyBudget() {
        Verdict parked = verdict(new Ending.Threw(JobPark.forAtMost(Duration.ofHours(1))), 2, 3);
        assertThat(parked.transition()).isEqualTo(Transition.PARK);
        assertThat(parked.outcome()).isEqualTo(AttemptOutcome.PARKED);
        assertThat(parked.outcome().countsAsAttempt()).isFalse();
        assertThat(parked.nextRunAtMillis()).isEqualTo(NOW + 3_600_000);
        assertThat(parked.reason().code()).isNull();
        assertThat(parked.reason().stackTrace()).isNull();
    }

    @Test
    void aSnoozedJobIsDueLaterWithAnyBudget() {
        Verdict after = verdict(new Ending.Threw(JobSnooze.after(Duration.ofMinutes(2))), 2, 3);
        assertThat(after.transition()).isEqualTo(Transition.SNOOZE);
        assertThat(after.outcome()).isEqualTo(AttemptOutcome.SNOOZED);
        assertThat(after.outcome().countsAsAttempt()).isFalse();
        assertThat(after.nextRunAtMillis()).isEqualTo(NOW + 120_000);
        assertThat(after.reason().code()).isNull();
        assertThat(after.reason().stackTrace()).isNull();
        assertThat(due(JobSnooze.until(Instant.ofEpochMilli(NOW + 5)))).isEqualTo(NOW + 5);
        assertThat(due(JobSnooze.until(Instant.MIN))).as("a past time is now").isEqualTo(NOW);
    }

    @Test
    void aHandlerCancelsItsJobWithAReasonAndNoFailure() {
        Verdict verdict = verdict(new Ending.Threw(JobCancel.because("x".repeat(501))), 0, 3);
        assertThat(verdict.transition()).isEqualTo(Transition.CANCEL_RUNNING);
        assertThat(verdict.outcome()).isEqualTo(AttemptOutcome.CANCELLED);
        assertThat(verdict.reason().code()).isNull();
        assertThat(verdict.reason().detail()).isEqualTo("x".repeat(ErrorCodes.MAX_DETAIL));
        assertThat(verdict.reason().stackTrace()).isNull();
        assertThat(verdict(new Ending.Cancelled(JobCancel.because("told to")), 0, 3)
                        .reason()
                        .detail())
                .isEqualTo("told to");
        assertThat(verdict(new Ending.Cancelled(JobSnooze.after(Duration.ZERO)), 0, 3)
                        .reason()
                        .stackTrace())
                .isNull();
    }

    private static Long due(RuntimeException thrown) {
        return verdict(new Ending.Threw(thrown), 0, 3).nextRunAtMillis();
    }

    @Test
    void aFailureWithATimeIsRetriedAtIt() {
        assertThat(due(JobFailure.retryAt("RESOURCE:BUSY", null, Instant.ofEpochMilli(NOW + 9))))
                .isEqualTo(NOW + 9);
        assertThat(due(JobFailure.retryAt("RESOURCE:BUSY", null, Instant.EPOCH)))
                .isEqualTo(NOW);
        Ending ending = new Ending.Threw(JobFailure.retryAt("RESOURCE:BUSY", null, Instant.ofEpochMilli(NOW + 9))
                .causedBy(new IllegalStateException()));
        assertThat(verdict(ending, 0, 3).nextRunAtMillis()).isEqualTo(NOW + 9);
        assertThat(verdict(ending, 2, 3).transition()).isEqualTo(Transition.FAIL);
    }

    // ---- rules ------------------------------------------------------------------------------------------------------

    private static final RetryRules RULES = RetryRules.of(RetryPolicy.fixed(Duration.ofSeconds(7)))
            .code(SocketTimeoutException.class, "DEPENDENCY:TIMEOUT")
            .never(IllegalArgumentException.class)
            .never("RESOURCE:GONE")
            .never("TIMEOUT:*")
            .retry("RESOURCE:*", RetryPolicy.fixed(Duration.ofSeconds(20)))
            .retry(IOException.class, RetryPolicy.fixed(Duration.ofSeconds(30)));

    private static Verdict byRules(Ending ending) {
        return Outcomes.verdict(ending, budget(0, 3, RULES), NOW, new Random(1));
    }

    @Test
    void theFirstRuleThatNamesAFailureDecides() {
        assertThat(byRules(new Ending.Threw(new IllegalStateException())).nextRunAtMillis())
                .as("no rule")
                .isEqualTo(NOW + 7000);
        assertThat(byRules(new Ending.Threw(new NumberFormatException())).transition())
                .as("a subclass")
                .isEqualTo(Transition.FAIL);
        assertThat(byRules(new Ending.Threw(JobFailure.retryable("RESOURCE:BUSY", null)))
                        .nextRunAtMillis())
                .isEqualTo(NOW + 20_000);
        assertThat(byRules(new Ending.Threw(JobFailure.retryable("RESOURCE:GONE", null)))
                        .transition())
                .isEqualTo(Transition.FAIL);
        Verdict wrapped = byRules(new Ending.Threw(new IllegalStateException(new SocketTimeoutException("late"))));
        assertThat(wrapped.reason().code()).isEqualTo("DEPENDENCY:TIMEOUT");
        assertThat(wrapped.nextRunAtMillis()).isEqualTo(NOW + 30_000);
        assertThat(byRules(new Ending.TimedOut(Duration.ofSeconds(1), new IOException()))
                        .transition())
                .as("what it threw when its time was over does not matter")
                .isEqualTo(Transition.FAIL);
    }

    @Test
    void theHandlersDecisionPrecedesTheRules() {
        assertThat(byRules(new Ending.Threw(JobFailure.retryAfter("RESOURCE:GONE", null, Duration.ofSeconds(1))))
                        .nextRunAtMillis())
                .isEqualTo(NOW + 1000);
        assertThat(byRules(new Ending.Threw(JobFailure.permanent("RESOURCE:BUSY", null)))
                        .transition())
                .isEqualTo(Transition.FAIL);
        Throwable cause = new IllegalArgumentException();
        assertThat(byRules(new Ending.Threw(
                                JobFailure.retryable("OTHER:CODE", null).causedBy(cause)))
                        .nextRunAtMillis())
                .as("found by its code alone")
                .isEqualTo(NOW + 7000);
    }

    @Test
    void aJobsOwnPolicyReplacesThatOfItsTypeExceptNever() {
        Outcomes.Budget own = new Outcomes.Budget(1, 0, 3, RULES, "fixed(1)");
        assertThat(Outcomes.verdict(new Ending.Threw(new IOException()), own, NOW, new Random(1))
                        .nextRunAtMillis())
                .isEqualTo(NOW + 1);
        assertThat(Outcomes.verdict(new Ending.Threw(new IllegalArgumentException()), own, NOW, new Random(1))
                        .transition())
                .isEqualTo(Transition.FAIL);
    }

    @Test
    void aFailingCustomPolicyIsReplacedByTheDefault() {
        RetryPolicy.Backoff broken = (used, random) -> {
            throw new IllegalStateException("broken");
        };
        RetryRules rules = RetryRules.of(RetryPolicy.custom(broken));
        Verdict verdict =
                Outcomes.verdict(new Ending.Threw(new IOException()), budget(0, 3, rules), NOW, new Random(1));
        assertThat(verdict.nextRunAtMillis()).isBetween(NOW + 800, NOW + 1200);
    }

    @Test
    void aJobOfADeadWorkerFollowsTheRulesForItsCode() {
        RetryRules never = RetryRules.of(RetryPolicy.DEFAULT).never("INTERNAL:*");
        assertThat(reclaim(suspect(0, 3, true, 0, false), never).transition()).isEqualTo(Transition.FAIL);
        assertThat(reclaim(suspect(0, 3, true, 0, false), never).outcome()).isEqualTo(AttemptOutcome.RECOVERED);
        assertThat(reclaim(suspect(0, 3, false, 0, false), never).transition())
                .as("its handler was never called")
                .isEqualTo(Transition.RETRY_LATER);
    }

    @Test
    void onlyACompletedJobKeepsAResult() {
        ClaimedJob job = ClaimedJob.first(5, 1, JobRow.of("t", "q", 3, "test").build(), 10, 20);
        Verdict.Times times = new Verdict.Times(30L, 40);
        Settle done =
                verdict(new Ending.Returned("{}", null), 0, 3).settlement(job, "w", times, "{}", "out", null, "00-1");
        assertThat(done.result()).isEqualTo("{}");
        assertThat(done.output()).isEqualTo("out");
        assertThat(done.traceparent()).isEqualTo("00-1");
        assertThat(done.startedAtMillis()).isEqualTo(30);
        assertThat(done.finishedAtMillis()).isEqualTo(40);
        Settle failed = verdict(new Ending.Threw(new IllegalStateException()), 0, 3)
                .settlement(job, "w", times, "{}", null, null, null);
        assertThat(failed.result()).isNull();
    }

    // ---- reclaims ---------------------------------------------------------------------------------------------------

    private static Suspect suspect(int used, int max, boolean started, int lostBefore, boolean cancel) {
        return suspect(used, max, started, lostBefore, cancel, "fixed(9000)");
    }

    private static Suspect suspect(
            int used, int max, boolean started, int lostBefore, boolean cancel, @Nullable String retryPolicy) {
        return new Suspect(
                /* leaseToken= */ new LeaseToken(1, 4),
                /* leaseUntilMillis= */ 500,
                /* used= */ used,
                /* maxAttempts= */ max,
                /* started= */ started,
                /* lostBefore= */ lostBefore,
                /* cancelRequested= */ cancel,
                /* retryPolicy= */ retryPolicy,
                /* type= */ "t",
                /* worker= */ "w",
                /* holderLeaseMillis= */ 30_000,
                /* processEnded= */ false);
    }

    private static Orphan reclaim(Suspect suspect) {
        return reclaim(suspect, RetryRules.of(RetryPolicy.DEFAULT));
    }

    private static Orphan reclaim(Suspect suspect, RetryRules rules) {
        return Outcomes.reclaim(suspect, rules, NOW, new Random(1), "system");
    }

    @Test
    void aCrashOfAStartedJobCountsAsAnAttemptAndBacksOff() {
        Orphan reclaim = reclaim(suspect(0, 3, true, 0, false));
        assertThat(reclaim.transition()).isEqualTo(Transition.RETRY_LATER);
        assertThat(reclaim.outcome()).isEqualTo(AttemptOutcome.RECOVERED);
        assertThat(reclaim.nextRunAtMillis()).isEqualTo(NOW + 9000);
        assertThat(reclaim.actor()).isEqualTo("system");
    }

    @Test
    void aCrashWithNoBudgetLeftEndsTheJob() {
        Orphan reclaim = reclaim(suspect(2, 3, true, 0, false));
        assertThat(reclaim.transition()).isEqualTo(Transition.FAIL);
        assertThat(reclaim.outcome()).isEqualTo(AttemptOutcome.RECOVERED);
        assertThat(reclaim.nextRunAtMillis()).isNull();
    }

    @Test
    void aJobLostBeforeItsStartIsDueAtOnceAndCountsNoAttempt() {
        Orphan reclaim = reclaim(suspect(2, 3, false, 2, false));
        assertThat(reclaim.transition()).isEqualTo(Transition.RETRY_LATER);
        assertThat(reclaim.outcome()).isEqualTo(AttemptOutcome.LOST);
        assertThat(reclaim.outcome().countsAsAttempt()).isFalse();
        assertThat(reclaim.nextRunAtMillis()).isEqualTo(NOW);
    }

    @Test
    void aJobLostTooOftenBeforeItsStartIsTreatedAsCrashed() {
        Orphan reclaim = reclaim(suspect(0, 3, false, Outcomes.MAX_LOST, false));
        assertThat(reclaim.transition()).isEqualTo(Transition.RETRY_LATER);
        assertThat(reclaim.outcome()).isEqualTo(AttemptOutcome.RECOVERED);
        assertThat(reclaim(suspect(2, 3, false, Outcomes.MAX_LOST, false)).transition())
                .isEqualTo(Transition.FAIL);
    }

    @Test
    void aCancelRequestOfADeadWorkersJobIsCarriedOut() {
        assertThat(reclaim(suspect(0, 3, true, 0, true)).transition()).isEqualTo(Transition.CANCEL_RUNNING);
        assertThat(reclaim(suspect(0, 3, true, 0, true)).outcome()).isEqualTo(AttemptOutcome.RECOVERED);
        assertThat(reclaim(suspect(0, 3, false, 0, true)).transition()).isEqualTo(Transition.CANCEL_RUNNING);
        assertThat(reclaim(suspect(0, 3, false, 0, true)).outcome()).isEqualTo(AttemptOutcome.LOST);
    }

    @Test
    void anUnreadableStoredPolicyFallsBackToTheDefault() {
        Suspect odd = suspect(0, 3, true, 0, false, "weekly(?)");
        assertThat(reclaim(odd).nextRunAtMillis()).isBetween(NOW + 800, NOW + 1200);
        Suspect none = suspect(0, 3, true, 0, false, null);
        assertThat(reclaim(none).nextRunAtMillis()).isBetween(NOW + 800, NOW + 1200);
    }
}
