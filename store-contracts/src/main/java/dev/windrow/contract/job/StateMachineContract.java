package dev.windrow.contract.job;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.Statistics;
import dev.windrow.store.Author;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.step.Signal;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Every state and every transition: the store applies the transitions that {@link Transition} allows. An illegal transition changes nothing at all.
 */
public abstract class StateMachineContract extends StoreContract {
    /** The transitions for which the store interface has no command yet. */
    private static final Set<Transition> WITHOUT_VERB = EnumSet.of(Transition.RESCHEDULE);

    /** A job in a state, with what its transitions need. */
    private record Subject(
            long id,
            JobState state,
            @Nullable Long parent,
            @Nullable ClaimedJob last,
            String type) {}

    private int subjects;

    /** Creates the contract for a subclass. */
    protected StateMachineContract() {}

    // One after another, because all of them share one store.
    @TestFactory
    @Execution(ExecutionMode.SAME_THREAD)
    Stream<DynamicTest> everyStateMeetsEveryTransition() {
        List<DynamicTest> tests = new ArrayList<>();
        for (JobState state : JobState.values()) {
            for (Transition transition : Transition.values()) {
                if (transition.guard() != Transition.Guard.NONE && !WITHOUT_VERB.contains(transition)) {
                    String verdict = transition.isAllowedFrom(state)
                            ? " is applied to "
                            : isRequest(state, transition) ? " is a request to what is " : " changes nothing of ";
                    tests.add(DynamicTest.dynamicTest(transition + verdict + state, () -> meet(state, transition)));
                }
            }
        }
        assertThat(tests).hasSize(7 * 19);
        return tests.stream();
    }

    private void meet(JobState state, Transition transition) {
        boolean blockedRetry = transition == Transition.RETRY_BLOCKED;
        Subject subject = transition == Transition.WAKE && state == JobState.BLOCKED
                ? awaiting()
                : drive(state, wantsParent(transition), transition == Transition.RELEASE_LATER);
        if (state == JobState.RUNNING) {
            store().start(requireNonNull(subject.last));
        }
        JobHistory history = store().history(subject.id);
        List<Object> before = picture(subject, transition);
        boolean allowed = transition.isAllowedFrom(state);
        boolean applied = attempt(subject, transition);
        if (isRequest(state, transition)) {
            assertThat(applied).isTrue();
            asked(history, store().history(subject.id));
            return;
        }
        assertThat(applied).isEqualTo(allowed);
        if (!allowed) {
            assertThat(picture(subject, transition)).isEqualTo(before);
            return;
        }
        JobState to = transition.to();
        if (to == null) {
            assertThat(store().store().history(subject.id)).isEmpty();
            return;
        }
        JobHistory after = store().history(subject.id);
        assertThat(after.job().state()).isEqualTo(to);
        assertThat(after.job().version()).isGreaterThan(history.job().version());
        List<EventKind> events = store().events(subject.id);
        // A due job becomes ready without an event. Here a trigger makes it ready, which is an operator's action.
        EventKind event = transition == Transition.PROMOTE ? EventKind.RELEASED : transition.event();
        assertThat(events).hasSize(history.events().size() + (event == null ? 0 : 1));
        if (event != null) {
            assertThat(events).endsWith(event);
        }
        boolean ended = state == JobState.RUNNING;
        long endedBefore = history.attempts().stream()
                .filter(attempt -> attempt.outcome() != null)
                .count();
        assertThat(store().outcomes(subject.id)).hasSize((int) endedBefore + (ended ? 1 : 0));
        assertThat(after.job().finishedAt() != null).isEqualTo(to.isFinished());
        if (to != JobState.RUNNING) {
            assertThat(after.job().worker()).isNull();
        }
        if (blockedRetry) {
            assertThat(after.job().dependsOn()).isNotEmpty();
        }
    }

    /** True for the cancellation of a running job, which is a request to its holder and no transition. */
    private static boolean isRequest(JobState state, Transition transition) {
        return state == JobState.RUNNING && transition == Transition.CANCEL;
    }

    /** Asserts that the request wrote an event, which raises the version, and nothing else of the job. */
    private static void asked(JobHistory before, JobHistory after) {
        assertThat(after.job())
                .usingRecursiveComparison()
                .ignoringFields("version")
                .isEqualTo(before.job());
        assertThat(after.job().version()).isGreaterThan(before.job().version());
        assertThat(after.attempts()).isEqualTo(before.attempts());
        assertThat(after.events())
                .hasSize(before.events().size() + 1)
                .startsWith(before.events().toArray(JobHistory.Event[]::new));
        assertThat(after.events()).last().extracting(JobHistory.Event::event).isEqualTo(EventKind.CANCEL_REQUESTED);
    }

    private static boolean wantsParent(Transition transition) {
        return transition == Transition.RELEASE
                || transition == Transition.RELEASE_LATER
                || transition == Transition.RETRY_BLOCKED;
    }

    /**
     * Returns everything that an illegal transition could have changed. The parent and the event are left out if the transition ends the one or sends
     * the other.
     */
    private List<Object> picture(Subject subject, Transition transition) {
        JobHistory history = store().history(subject.id);
        Statistics statistics = store().store().statistics();
        if (transition != Transition.RELEASE
                && transition != Transition.RELEASE_LATER
                && transition != Transition.WAKE) {
            return List.of(history, statistics);
        }
        return List.of(
                history.job().state(),
                history.job().scheduledAt(),
                String.valueOf(history.job().finishedAt()),
                history.attempts(),
                history.events().stream()
                        .filter(event -> event.event() != EventKind.SIGNALLED)
                        .toList(),
                statistics.types().stream()
                        .filter(type -> type.type().equals(subject.type))
                        .toList());
    }

    /** Tries a transition by its command; returns true if the store reported that it was applied. */
    private boolean attempt(Subject subject, Transition transition) {
        return switch (transition) {
            case CLAIM -> !claim(subject.type).isEmpty();
            case PROMOTE -> change(Verb.TRIGGER, subject);
            case CANCEL -> change(Verb.CANCEL, subject);
            case COMPLETE_EXTERNALLY -> change(Verb.COMPLETE, subject);
            case FAIL_EXTERNALLY -> change(Verb.FAIL, subject);
            case RETRY, RETRY_BLOCKED -> change(Verb.RETRY, subject);
            case DELETE -> change(Verb.DELETE, subject);
            case EXPIRE -> expire(subject);
            case RELEASE, RELEASE_LATER -> release(subject);
            case WAKE -> wake(subject);
            case COMPLETE, FAIL, RETRY_LATER, SNOOZE, HAND_BACK, PARK, CANCEL_RUNNING ->
                store().settle(holder(subject), transition);
            case ENQUEUE_BLOCKED, ENQUEUE_SCHEDULED, ENQUEUE_PENDING, RESCHEDULE ->
                throw new AssertionError(transition + " is not tried on a job");
        };
    }

    private List<ClaimedJob> claim(String type) {
        return store().claim(StoreDriver.request("w", Set.of("q"), Set.of(type), 1))
                .jobs();
    }

    private boolean change(Verb verb, Subject subject) {
        Change change = StoreDriver.change(verb, List.of(subject.id));
        Throwable refused = failure(ChangeByFilter.run(store().store(), change));
        if (refused != null) {
            assertThat(refused)
                    .isInstanceOf(TransitionRefusedException.class)
                    .hasMessageContaining(Long.toString(subject.id));
        }
        return refused == null;
    }

    /**
     * Deletes the job by retention; returns true if it was deleted. If the job has not ended, the command states that it has been {@code COMPLETED}
     * just now.
     */
    private boolean expire(Subject subject) {
        JobInfo job = store().job(subject.id);
        Instant finished = job.finishedAt();
        JobState state = finished == null ? JobState.COMPLETED : job.state();
        long finishedAt = finished == null ? time.millis() : finished.toEpochMilli();
        Expiry.Unit unit = new Expiry.Unit(subject.id, List.of(new Expiry.Job(subject.id, state, finishedAt)));
        Expiry.Done done = StoreDriver.answer(store().store()
                .submit(Expire.first(
                        List.of(unit), new Expire.Pass(new Author("retention", null), "all", time.millis(), null))));
        return done.deleted().jobs().size() == 1;
    }

    /** Ends the parent. The child is released if it waited for that. */
    private boolean release(Subject subject) {
        JobHistory before = store().history(subject.id);
        store().change(Verb.COMPLETE, requireNonNull(subject.parent));
        return store().events(subject.id).size() > before.events().size();
    }

    /** Sends the event. The job continues if it waited for that. */
    private boolean wake(Subject subject) {
        Throwable refused = failure(
                store().store().submit(new Signal(subject.id, "event", null, new Author("operator", null), null)));
        assertThat(refused != null).isEqualTo(subject.state.isFinished());
        List<EventKind> events = store().events(subject.id);
        return refused == null && events.get(events.size() - 1) != EventKind.SIGNALLED;
    }

    /** Returns a job that is parked until an event comes. */
    private Subject awaiting() {
        Subject running = drive(JobState.RUNNING, false, false);
        ClaimedJob job = requireNonNull(running.last);
        store().awaits(job, "event", Duration.ofHours(1));
        return new Subject(running.id, JobState.BLOCKED, null, job, running.type);
    }

    /** Returns the last claim of the job. Without one, returns a forged claim with the token of a first claim. */
    private ClaimedJob holder(Subject subject) {
        ClaimedJob last = subject.last;
        return last != null
                ? last
                : ClaimedJob.first(
                        subject.id, 1, JobRow.of(subject.type, "q", 3, "test").build(), time.millis(), time.millis());
    }

    /**
     * Returns a new job, brought into a state by commands.
     *
     * @param withParent true if it depends on a job that has not ended; a job that has run cannot depend on one, and its parent failed and was
     *     retried since
     */
    private Subject drive(JobState state, boolean withParent, boolean delayed) {
        String type = "t" + subjects++;
        Long parent = null;
        NewRow row = NewRow.of("q", type);
        boolean ready = state == JobState.SCHEDULED || state == JobState.PENDING || state == JobState.RUNNING;
        if (withParent || state == JobState.BLOCKED) {
            parent = store().enqueue(NewRow.of("q", "parent"));
            row = row.after(parent, ready ? ParentPolicy.RUN : ParentPolicy.WAIT);
        }
        if (delayed || state == JobState.SCHEDULED) {
            row = row.delay(Duration.ofMinutes(1));
        }
        long id = store().enqueue(row);
        ClaimedJob last = null;
        if (parent != null && ready) {
            store().change(Verb.FAIL, parent);
            store().change(Verb.RETRY, parent);
        }
        if (delayed && (state == JobState.PENDING || state == JobState.RUNNING)) {
            store().change(Verb.TRIGGER, id);
        }
        switch (state) {
            case BLOCKED, SCHEDULED, PENDING -> {}
            case RUNNING -> last = claim(type).get(0);
            case COMPLETED -> {
                if (parent != null) {
                    store().change(Verb.COMPLETE, id);
                } else {
                    last = claim(type).get(0);
                    store().settle(last, Transition.COMPLETE);
                }
            }
            case FAILED -> {
                if (parent != null) {
                    store().change(Verb.FAIL, id);
                } else {
                    last = claim(type).get(0);
                    store().settle(last, Transition.FAIL);
                }
            }
            case CANCELLED -> store().change(Verb.CANCEL, id);
        }
        assertThat(store().state(id)).isEqualTo(state);
        return new Subject(id, state, parent, last, type);
    }

    @Test
    void aNewJobIsBlockedScheduledOrPending() {
        for (Transition transition : Transition.values()) {
            if (transition.guard() == Transition.Guard.NONE) {
                Subject subject = drive(requireNonNull(transition.to()), false, false);
                assertThat(store().events(subject.id)).containsExactly(requireNonNull(transition.event()));
            }
        }
    }

    @Test
    void onlyARunningJobWithItsReadLeaseIsReclaimed() {
        for (JobState state : JobState.values()) {
            for (Transition transition : List.of(Transition.RETRY_LATER, Transition.FAIL, Transition.CANCEL_RUNNING)) {
                Subject subject = drive(state, false, false);
                List<Object> before = picture(subject, transition);
                ClaimedJob holder = holder(subject);
                long lease = holder.claimedAtMillis() + StoreDriver.LEASE.toMillis();
                assertThat(reclaim(holder.leaseToken(), lease + 1, transition)).isEmpty();
                assertThat(reclaim(new LeaseToken(subject.id, holder.token() + 1), lease, transition))
                        .isEmpty();
                assertThat(picture(subject, transition)).isEqualTo(before);
                List<Orphan> applied = reclaim(holder.leaseToken(), lease, transition);
                if (state == JobState.RUNNING) {
                    assertThat(applied).hasSize(1);
                    assertThat(store().state(subject.id)).isEqualTo(transition.to());
                    assertThat(store().events(subject.id))
                            .endsWith(EventKind.RECOVERED, requireNonNull(transition.event()));
                } else {
                    assertThat(applied).isEmpty();
                    assertThat(picture(subject, transition)).isEqualTo(before);
                }
            }
        }
    }

    private List<Orphan> reclaim(LeaseToken leaseToken, long leaseUntil, Transition transition) {
        Suspect suspect = new Suspect(
                /* leaseToken= */ leaseToken,
                /* leaseUntilMillis= */ leaseUntil,
                /* used= */ 0,
                /* maxAttempts= */ 3,
                /* started= */ false,
                /* lostBefore= */ 0,
                /* cancelRequested= */ false,
                /* retryPolicy= */ null,
                /* type= */ "t",
                /* worker= */ "w",
                /* holderLeaseMillis= */ 30_000,
                /* processEnded= */ false);
        Long next = transition == Transition.RETRY_LATER ? time.millis() + 1000 : null;
        return StoreDriver.answer(store().store()
                .submit(new Reclaim(
                        List.of(new Orphan(suspect, transition, AttemptOutcome.RECOVERED, next, "reclaimer")),
                        StoreDriver.WITHIN_MILLIS)));
    }

    @Test
    void anOldTokenSettlesNothingInAnyState() {
        for (JobState state : JobState.values()) {
            Subject subject = drive(state, false, false);
            ClaimedJob holder = holder(subject);
            ClaimedJob old = new ClaimedJob(
                    /* id= */ holder.id(),
                    /* token= */ holder.token() - 1,
                    /* lane= */ holder.lane(),
                    /* queue= */ holder.queue(),
                    /* type= */ holder.type(),
                    /* name= */ null,
                    /* payload= */ null,
                    /* run= */ holder.run(),
                    /* used= */ holder.used(),
                    /* maxAttempts= */ holder.maxAttempts(),
                    /* timeoutMillis= */ null,
                    /* retryPolicy= */ null,
                    /* traceparent= */ null,
                    /* dedupeKey= */ holder.dedupeKey(),
                    /* dedupeType= */ holder.dedupeType(),
                    /* concurrencyKey= */ null,
                    /* scheduledAtMillis= */ holder.scheduledAtMillis(),
                    /* claimedAtMillis= */ holder.claimedAtMillis());
            List<Object> before = picture(subject, Transition.COMPLETE);
            for (Transition transition : Transition.values()) {
                if (transition.guard() == Transition.Guard.HOLDER) {
                    assertThat(store().settle(old, transition)).isFalse();
                }
            }
            assertThat(picture(subject, Transition.COMPLETE)).isEqualTo(before);
        }
    }

    @Test
    void completedJobsStayCompletedUntilTheyAreDeleted() {
        assertThat(Stream.of(Transition.values()).filter(transition -> transition.isAllowedFrom(JobState.COMPLETED)))
                .containsExactly(Transition.DELETE, Transition.EXPIRE);
    }
}
