package dev.windrow.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.LogLevel;
import dev.windrow.TransitionRefusedException;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Suspect;
import dev.windrow.workflow.Parent;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Random sequences of commands, compared at each step with a small model of the state machine. The seed is reported. The system property {@code
 * windrow.seed} sets it.
 */
public abstract class ModelContract extends StoreContract {
    private static final int STEPS = Integer.getInteger("windrow.model.steps", 500);
    private static final Transition[] HOLDERS = {
        Transition.COMPLETE,
        Transition.COMPLETE,
        Transition.FAIL,
        Transition.RETRY_LATER,
        Transition.SNOOZE,
        Transition.HAND_BACK,
        Transition.PARK,
        Transition.CANCEL_RUNNING
    };

    /** The expected state of a job. */
    private static final class Model {
        final long id;
        final int priority;
        final int maxAttempts;
        JobState state = JobState.PENDING;
        long scheduledAt;
        long token;
        int used;
        long leaseUntil;
        boolean started;
        boolean cancelRequested;
        boolean progressed;
        int lines;
        final Map<Long, ParentPolicy> open = new HashMap<>();
        final Set<Long> parents = new HashSet<>();
        final List<EventKind> events = new ArrayList<>(List.of(EventKind.ENQUEUED));
        final List<AttemptOutcome> outcomes = new ArrayList<>();

        @Nullable ClaimedJob claim;

        @Nullable Dedupe dedupe;

        Model(long id, int priority, int maxAttempts) {
            this.id = id;
            this.priority = priority;
            this.maxAttempts = maxAttempts;
        }

        @Override
        public String toString() {
            return id + " " + state + " token " + token + " used " + used + " open " + open.keySet();
        }
    }

    private final TreeMap<Long, Model> jobs = new TreeMap<>();
    /** The holders of dedupe keys. */
    private final Map<String, Model> holders = new HashMap<>();

    private final List<ClaimedJob> oldClaims = new ArrayList<>();
    private Random random = new Random(0);

    /** Creates the contract for a subclass. */
    protected ModelContract() {}

    @Test
    void everySequenceOfVerbsFollowsTheStateMachine(TestReporter reporter) {
        long seed = seed(reporter);
        random = new Random(seed);
        int step = 0;
        try {
            for (; step < STEPS; step++) {
                step();
            }
            compare();
        } catch (AssertionError e) {
            throw new AssertionError("at step " + step + "; to repeat it: -Dwindrow.seed=" + seed, e);
        }
    }

    private void step() {
        switch (random.nextInt(10)) {
            case 0, 1 -> enqueue();
            case 2, 3 -> claim();
            case 4, 5 -> settle();
            case 6 -> change();
            case 7 -> reclaim();
            case 8 -> zombie();
            default -> {
                time.advance(Duration.ofMillis(random.nextInt(40_000)));
                if (random.nextInt(5) == 0) {
                    compare();
                }
            }
        }
    }

    private @Nullable Model any() {
        return jobs.isEmpty() ? null : new ArrayList<>(jobs.values()).get(random.nextInt(jobs.size()));
    }

    private void enqueue() {
        int priority = random.nextInt(3);
        NewRow row = NewRow.job().priority(priority);
        long scheduledAt = time.millis();
        if (random.nextInt(4) == 0) {
            row = row.delay(Duration.ofSeconds(30));
            scheduledAt += 30_000;
        }
        Map<Long, ParentPolicy> parents = new HashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            Model parent = any();
            if (parent != null && random.nextBoolean()) {
                parents.put(parent.id, random.nextBoolean() ? ParentPolicy.WAIT : ParentPolicy.RUN);
            }
        }
        for (Map.Entry<Long, ParentPolicy> parent : parents.entrySet()) {
            row = row.after(parent.getKey(), parent.getValue());
        }
        Dedupe dedupe = dedupe();
        EnqueuedJob written = StoreDriver.answer(store().store()
                        .submit(new Enqueue(List.of(row.dedupe(dedupe).row()))))
                .get(0);
        Model holder = dedupe == null ? null : holders.get(dedupe.key());
        if (holder != null) {
            assertThat(written)
                    .as("a duplicate of %s", holder)
                    .isEqualTo(new EnqueuedJob(holder.id, holder.state, true));
            return;
        }
        assertThat(written.deduplicated()).isFalse();
        Model job = new Model(written.id(), priority, row.row().maxAttempts());
        job.dedupe = dedupe;
        takeKey(job);
        job.scheduledAt = scheduledAt;
        job.parents.addAll(parents.keySet());
        for (Parent parent : row.row().parents()) {
            JobState state = requireNonNull(jobs.get(parent.id())).state;
            if (!satisfies(state, parent.onFailure())) {
                job.open.put(parent.id(), parent.onFailure());
            }
        }
        job.state = job.open.isEmpty() ? readyOrScheduled(job) : JobState.BLOCKED;
        jobs.put(job.id, job);
    }

    private @Nullable Dedupe dedupe() {
        if (random.nextInt(3) > 0) {
            return null;
        }
        Dedupe key = Dedupe.key("key" + random.nextInt(5));
        return random.nextBoolean() ? key.unfinished() : key.untilStarted();
    }

    private void takeKey(Model job) {
        if (job.dedupe != null) {
            holders.put(job.dedupe.key(), job);
        }
    }

    /** Releases the dedupe key of a job, if the job holds it. */
    private void giveKeyUp(Model job) {
        if (job.dedupe != null) {
            holders.remove(job.dedupe.key(), job);
        }
    }

    private static boolean satisfies(JobState state, ParentPolicy policy) {
        return state == JobState.COMPLETED || (state.isFinished() && policy == ParentPolicy.RUN);
    }

    private JobState readyOrScheduled(Model job) {
        return job.scheduledAt > time.millis() ? JobState.SCHEDULED : JobState.PENDING;
    }

    private void claim() {
        int limit = 1 + random.nextInt(3);
        jobs.values().stream()
                .filter(job -> job.state == JobState.SCHEDULED && job.scheduledAt <= time.millis())
                .forEach(job -> job.state = JobState.PENDING);
        List<Model> expected = jobs.values().stream()
                .filter(job -> job.state == JobState.PENDING)
                .sorted(Comparator.<Model>comparingInt(job -> -job.priority)
                        .thenComparingLong(job -> job.scheduledAt)
                        .thenComparingLong(job -> job.id))
                .limit(limit)
                .toList();
        List<ClaimedJob> claimed = store().claim(limit);
        assertThat(claimed)
                .extracting(ClaimedJob::id)
                .isEqualTo(expected.stream().map(job -> job.id).toList());
        for (ClaimedJob claim : claimed) {
            Model job = requireNonNull(jobs.get(claim.id()));
            job.state = JobState.RUNNING;
            job.token++;
            job.leaseUntil = time.millis() + StoreDriver.LEASE.toMillis();
            job.started = false;
            job.progressed = false;
            job.claim = claim;
            job.events.add(EventKind.CLAIMED);
            if (job.dedupe != null && job.dedupe.scope() == Dedupe.Scope.UNTIL_STARTED) {
                giveKeyUp(job);
            }
            assertThat(claim.token()).isEqualTo(job.token);
            assertThat(claim.used()).isEqualTo(job.used);
            oldClaims.add(claim);
        }
    }

    private List<Model> running() {
        return jobs.values().stream()
                .filter(job -> job.state == JobState.RUNNING)
                .toList();
    }

    private void settle() {
        List<Model> running = running();
        if (running.isEmpty()) {
            return;
        }
        Model job = running.get(random.nextInt(running.size()));
        ClaimedJob claim = requireNonNull(job.claim);
        if (random.nextInt(3) > 0 && !job.started) {
            store().start(claim);
            job.started = true;
            addStart(job);
        }
        if (random.nextInt(4) == 0) {
            assertThat(StoreDriver.answer(store().store()
                            .submit(new Renew(List.of(claim.leaseToken()), StoreDriver.LEASE.toMillis()))))
                    .isEmpty();
            job.leaseUntil = time.millis() + StoreDriver.LEASE.toMillis();
            return;
        }
        if (random.nextInt(3) == 0) {
            Report report = report(claim, random.nextInt(90));
            assertThat(StoreDriver.answer(store().store().submit(report))).isTrue();
            job.lines += report.lines().size();
            job.progressed = true;
            job.events.add(EventKind.HEARTBEAT);
        }
        Transition transition = HOLDERS[random.nextInt(HOLDERS.length)];
        transition = withinBudget(job, transition, StoreDriver.outcome(transition));
        assertThat(store().settle(claim, transition)).isTrue();
        if (!job.started) {
            addStart(job);
        }
        AttemptOutcome outcome = StoreDriver.outcome(transition);
        if (job.cancelRequested && !requireNonNull(transition.to()).isFinished()) {
            transition = Transition.CANCEL_RUNNING;
            outcome = outcome == AttemptOutcome.FAILED ? outcome : AttemptOutcome.CANCELLED;
        }
        job.outcomes.add(outcome);
        end(job, transition, outcome, time.millis() + 60_000);
    }

    /** A start has the time of the claim here, so it follows that in the log. */
    private static void addStart(Model job) {
        job.events.add(job.events.lastIndexOf(EventKind.CLAIMED) + 1, EventKind.STARTED);
    }

    /** Returns the transition for a budget: no retry follows an attempt that was the last one to count. */
    private static Transition withinBudget(Model job, Transition transition, AttemptOutcome outcome) {
        boolean last = outcome.countsAsAttempt() && job.used + 1 >= job.maxAttempts;
        return transition == Transition.RETRY_LATER && last ? Transition.FAIL : transition;
    }

    private Report report(ClaimedJob claim, int lines) {
        return new Report(
                claim.leaseToken(),
                "w",
                new Report.Progress(time.millis(), 0.5, null, true),
                Collections.nCopies(lines, new Report.Line(time.millis(), LogLevel.INFO, "line")),
                null);
    }

    private void end(Model job, Transition transition, AttemptOutcome outcome, long nextRun) {
        job.used += outcome.countsAsAttempt() ? 1 : 0;
        job.cancelRequested = false;
        if (transition.to() == JobState.SCHEDULED) {
            job.scheduledAt = nextRun;
        }
        move(job, transition);
    }

    private void move(Model job, Transition transition) {
        job.state = requireNonNull(transition.to());
        EventKind event = transition.event();
        if (event != null) {
            job.events.add(event);
        }
        if (job.state.isFinished()) {
            giveKeyUp(job);
            for (Model child : jobs.values()) {
                ParentPolicy policy = child.open.get(job.id);
                if (policy != null && satisfies(job.state, policy)) {
                    child.open.remove(job.id);
                    if (child.open.isEmpty() && child.state == JobState.BLOCKED) {
                        child.state = readyOrScheduled(child);
                        child.events.add(EventKind.RELEASED);
                        child.scheduledAt = Math.max(child.scheduledAt, time.millis());
                    }
                }
            }
        }
    }

    private void reclaim() {
        Set<LeaseToken> expected = new HashSet<>();
        running().stream()
                .filter(job -> job.leaseUntil < time.millis())
                .forEach(job -> expected.add(new LeaseToken(job.id, job.token)));
        List<Suspect> suspects = store().suspects();
        assertThat(suspects).extracting(Suspect::leaseToken).containsExactlyInAnyOrderElementsOf(expected);
        for (Suspect suspect : suspects) {
            Model job = requireNonNull(jobs.get(suspect.leaseToken().id()));
            assertThat(suspect.started()).isEqualTo(job.started);
            assertThat(suspect.used()).isEqualTo(job.used);
            assertThat(suspect.cancelRequested()).isEqualTo(job.cancelRequested);
            AttemptOutcome outcome = job.started ? AttemptOutcome.RECOVERED : AttemptOutcome.LOST;
            Transition transition =
                    withinBudget(job, random.nextBoolean() ? Transition.RETRY_LATER : Transition.FAIL, outcome);
            assertThat(store().reclaim(suspect, transition, outcome)).isTrue();
            job.events.add(EventKind.RECOVERED);
            job.outcomes.add(outcome);
            end(job, job.cancelRequested ? Transition.CANCEL_RUNNING : transition, outcome, time.millis() + 60_000);
        }
    }

    /** Settles an old claim, whose holder does not know what has happened since. */
    private void zombie() {
        List<ClaimedJob> zombies = oldClaims.stream()
                .filter(claim -> {
                    Model job = jobs.get(claim.id());
                    return job == null || job.state != JobState.RUNNING || job.token != claim.token();
                })
                .toList();
        if (!zombies.isEmpty()) {
            ClaimedJob zombie = zombies.get(random.nextInt(zombies.size()));
            store().start(zombie);
            assertThat(StoreDriver.answer(store().store().submit(report(zombie, 2))))
                    .isFalse();
            assertThat(store().settle(zombie, HOLDERS[random.nextInt(HOLDERS.length)]))
                    .isFalse();
            assertThat(StoreDriver.answer(store().store().submit(new Renew(List.of(zombie.leaseToken()), 1_000_000))))
                    .containsExactly(zombie.leaseToken());
        }
    }

    private void change() {
        Model job = any();
        if (job == null) {
            return;
        }
        List<Verb> verbs = List.copyOf(EnumSet.complementOf(EnumSet.of(Verb.MERGE_METADATA)));
        Verb verb = verbs.get(random.nextInt(verbs.size()));
        Transition transition = switch (verb) {
            case CANCEL -> Transition.CANCEL;
            case RETRY -> job.open.isEmpty() ? Transition.RETRY : Transition.RETRY_BLOCKED;
            case COMPLETE -> Transition.COMPLETE_EXTERNALLY;
            case FAIL -> Transition.FAIL_EXTERNALLY;
            case TRIGGER -> Transition.PROMOTE;
            case DELETE -> Transition.DELETE;
            case MERGE_METADATA -> throw new AssertionError(verb + " is no transition");
        };
        boolean needed = verb == Verb.DELETE
                && jobs.values().stream()
                        .anyMatch(child -> child.parents.contains(job.id) && child.state != JobState.COMPLETED);
        Throwable refused = failure(ChangeByFilter.run(store().store(), StoreDriver.change(verb, List.of(job.id))));
        if (verb == Verb.CANCEL && job.state == JobState.RUNNING) {
            assertThat(refused).as("%s of %s", verb, job).isNull();
            if (!job.cancelRequested) {
                job.cancelRequested = true;
                job.events.add(EventKind.CANCEL_REQUESTED);
            }
            return;
        }
        boolean keyIsHeld = verb == Verb.RETRY && job.dedupe != null && holders.containsKey(job.dedupe.key());
        if (!transition.isAllowedFrom(job.state) || needed || keyIsHeld) {
            assertThat(refused).as("%s of %s", verb, job).isInstanceOf(TransitionRefusedException.class);
            return;
        }
        assertThat(refused).as("%s of %s", verb, job).isNull();
        switch (verb) {
            case DELETE -> {
                jobs.remove(job.id);
                jobs.values().forEach(child -> {
                    child.parents.remove(job.id);
                    child.open.remove(job.id);
                });
            }
            case RETRY -> {
                job.used = 0;
                takeKey(job);
                job.scheduledAt = time.millis();
                move(job, transition);
            }
            case TRIGGER -> {
                job.scheduledAt = Math.min(job.scheduledAt, time.millis());
                job.events.add(EventKind.RELEASED);
                move(job, transition);
            }
            case COMPLETE, FAIL -> {
                if (job.state == JobState.RUNNING) {
                    job.outcomes.add(AttemptOutcome.SUPERSEDED);
                }
                job.token++;
                job.cancelRequested = false;
                job.progressed = false;
                move(job, transition);
            }
            case CANCEL -> move(job, transition);
            case MERGE_METADATA -> throw new AssertionError(verb + " is no transition");
        }
    }

    private void compare() {
        countersEqualCounts(store());
        assertThat(all(store().store(), JobFilter.ALL))
                .extracting(JobInfo::id)
                .containsExactlyElementsOf(jobs.descendingKeySet());
        for (Model job : jobs.values()) {
            JobHistory history = store().history(job.id);
            assertThat(history.job().state()).as("state of %s", job).isEqualTo(job.state);
            assertThat(history.job().attempt())
                    .as("attempt of %s", job)
                    .isEqualTo(job.state == JobState.RUNNING ? job.used + 1 : job.used);
            assertThat(history.job().dependsOn())
                    .as("parents of %s", job)
                    .extracting(JobInfo.Dependency::id)
                    .containsExactlyInAnyOrderElementsOf(job.parents);
            assertThat(StoreDriver.events(history)).as("events of %s", job).isEqualTo(job.events);
            assertThat(StoreDriver.outcomes(history)).as("attempts of %s", job).isEqualTo(job.outcomes);
            assertThat(history.log().size() + history.droppedLines())
                    .as("lines of %s", job)
                    .isEqualTo(job.lines);
            assertThat(history.job().progress() != null)
                    .as("progress of %s", job)
                    .isEqualTo(job.progressed);
            assertThat(history.attempts())
                    .extracting(JobHistory.Attempt::token)
                    .isSorted()
                    .doesNotHaveDuplicates();
        }
    }
}
