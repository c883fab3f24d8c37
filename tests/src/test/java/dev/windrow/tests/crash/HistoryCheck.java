package dev.windrow.tests.crash;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.store.Transition;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Compares the history in a database with the observations of its users, which they noted in ledgers: acknowledged and tried enqueues, starts and
 * ends of handlers, and killed workers. The result is a list of violations, one sentence each.
 */
final class HistoryCheck {
    /**
     * The observations from outside of the database.
     *
     * @param tried how many jobs each call to enqueue was to write, by the call's name; a job is named {@code CALL-N}
     * @param refused the calls that reported that they wrote nothing
     * @param acknowledged ids that a call has returned, with the allowed end states of the job
     * @param owed the names of jobs that must exist in the end, because acknowledged jobs continue with them
     * @param starts handler calls that have begun
     * @param ends handler calls that have ended
     * @param gone workers of which a process was killed, or stopped for longer than its leases, and how often
     * @param interrupted the handler calls that had begun in such a process before its kill or stop
     * @param inFlight how many handler calls such a process may have begun that are not recorded
     */
    record Seen(
            Map<String, Integer> tried,
            Set<String> refused,
            Map<Long, Set<JobState>> acknowledged,
            Set<String> owed,
            List<Call> starts,
            List<Call> ends,
            Map<String, Integer> gone,
            Set<Call> interrupted,
            int inFlight) {
        Seen {
            tried = Map.copyOf(tried);
            refused = Set.copyOf(refused);
            acknowledged = Map.copyOf(acknowledged);
            owed = Set.copyOf(owed);
            starts = List.copyOf(starts);
            ends = List.copyOf(ends);
            gone = Map.copyOf(gone);
            interrupted = Set.copyOf(interrupted);
        }
    }

    /** A handler call, as the handler identifies itself. */
    record Call(long job, int attempt, String worker) {}

    private final History history;
    private final Seen seen;
    private final List<String> violations = new ArrayList<>();
    private int repeatedCalls;

    private HistoryCheck(History history, Seen seen) {
        this.history = history;
        this.seen = seen;
    }

    /**
     * The outcome.
     *
     * @param violations the broken rules
     * @param repeatedCalls handler calls whose work was repeated, because the worker was killed
     */
    record Result(List<String> violations, int repeatedCalls) {
        Result {
            violations = List.copyOf(violations);
        }
    }

    static Result of(History history, Seen seen) {
        HistoryCheck check = new HistoryCheck(history, seen);
        check.violations.addAll(history.troubles());
        check.jobsAreThoseThatWereEnqueued();
        check.jobsAreWhatTheirEventsAndAttemptsSay();
        check.handlersRanAsTheAttemptsSay();
        return new Result(check.violations, check.repeatedCalls);
    }

    @SuppressWarnings("AnnotateFormatMethod") // Error Prone's annotations are not among the dependencies.
    private void violation(String text, Object... arguments) {
        violations.add(text.formatted(arguments));
    }

    private void jobsAreThoseThatWereEnqueued() {
        Map<Long, History.Job> jobs = new HashMap<>();
        Map<String, Integer> written = new TreeMap<>();
        Set<String> names = new HashSet<>();
        for (History.Job job : history.jobs()) {
            jobs.put(job.id(), job);
            if (!job.state().isFinished()) {
                violation("job %d is still %s", job.id(), job.state());
            }
            if (job.name().isEmpty()) {
                // A job of a schedule: no call has enqueued it.
                continue;
            }
            if (!names.add(job.name())) {
                violation("job %d was written twice, as %s", job.id(), job.name());
            }
            written.merge(job.name().substring(0, Math.max(0, job.name().lastIndexOf('-'))), 1, Integer::sum);
        }
        for (String name : seen.owed()) {
            if (!names.contains(name)) {
                violation("no job has continued with %s", name);
            }
        }
        seen.acknowledged().forEach((id, expected) -> {
            History.Job job = jobs.get(id);
            if (job == null) {
                violation("job %d was acknowledged and is lost", id);
            } else if (job.state().isFinished() && !expected.contains(job.state())) {
                violation("job %d (%s) is %s, not %s: %s", id, job.name(), job.state(), expected, job.why());
            }
        });
        written.forEach((call, count) -> {
            Integer tried = seen.tried().get(call);
            if (tried == null) {
                violation("no enqueuer has tried to enqueue the %d jobs of call '%s'", count, call);
            } else if (seen.refused().contains(call)) {
                violation("call %s was refused and wrote %d jobs", call, count);
            } else if (!tried.equals(count)) {
                violation("call %s was to write %d jobs and wrote %d", call, tried, count);
            }
        });
    }

    // ---- each job separately ----------------------------------------------------------------------------------------

    private void jobsAreWhatTheirEventsAndAttemptsSay() {
        Map<Long, List<History.Event>> events = new HashMap<>();
        history.events()
                .forEach(e ->
                        events.computeIfAbsent(e.job(), id -> new ArrayList<>()).add(e));
        Map<Long, List<History.Attempt>> attempts = new HashMap<>();
        history.attempts()
                .forEach(a -> attempts.computeIfAbsent(a.job(), id -> new ArrayList<>())
                        .add(a));
        for (History.Job job : history.jobs()) {
            List<History.Event> itsEvents = events.getOrDefault(job.id(), List.of());
            List<History.Attempt> itsAttempts = attempts.getOrDefault(job.id(), List.of());
            path(job, itsEvents);
            tokens(job, itsEvents, itsAttempts);
            used(job, itsEvents, itsAttempts);
            settlements(job, itsAttempts);
        }
    }

    /** Checks that the events lead through the state machine to the stored state of the job. */
    private void path(History.Job job, List<History.Event> events) {
        List<EventKind> kinds = events.stream().map(History.Event::kind).toList();
        Set<JobState> states = EnumSet.noneOf(JobState.class);
        for (int i = 0; i < kinds.size(); i++) {
            states = i == 0 ? begin(kinds.get(0)) : after(states, kinds.get(i));
            if (states.isEmpty()) {
                violation("job %d cannot have had event %d of %s", job.id(), i + 1, kinds);
                return;
            }
        }
        if (!states.contains(job.state())) {
            violation("job %d is %s, and by its events %s: %s", job.id(), job.state(), states, kinds);
        }
    }

    private static Set<JobState> begin(EventKind event) {
        Set<JobState> states = EnumSet.noneOf(JobState.class);
        for (Transition transition : Transition.values()) {
            if (transition.guard() == Transition.Guard.NONE && transition.event() == event) {
                states.add(Objects.requireNonNull(transition.to()));
            }
        }
        return promoted(states);
    }

    private static Set<JobState> after(Set<JobState> states, EventKind event) {
        Set<JobState> next = EnumSet.noneOf(JobState.class);
        if (event == EventKind.STARTED || event == EventKind.RECOVERED || event == EventKind.STUCK) {
            // These events happen to the holder of the job, and they change no state.
            if (states.contains(JobState.RUNNING)) {
                next.add(JobState.RUNNING);
            }
            return next;
        }
        for (Transition transition : Transition.values()) {
            if (transition.event() == event && transition.from().stream().anyMatch(states::contains)) {
                next.add(Objects.requireNonNull(transition.to()));
            }
        }
        if (event == EventKind.RELEASED && states.contains(JobState.SCHEDULED)) {
            next.add(JobState.PENDING);
        }
        return promoted(next);
    }

    /** Adds the state after a promotion. A promotion has no event, unless an operator has triggered it. */
    private static Set<JobState> promoted(Set<JobState> states) {
        if (Transition.PROMOTE.from().stream().anyMatch(states::contains)) {
            states.add(Objects.requireNonNull(Transition.PROMOTE.to()));
        }
        return states;
    }

    /** Checks that each claim has its own token, which is higher than all earlier ones, and that each ended claim has one attempt. */
    private void tokens(History.Job job, List<History.Event> events, List<History.Attempt> attempts) {
        List<Long> claims = new ArrayList<>();
        long token = 0;
        for (History.Event event : events) {
            if (event.kind() == EventKind.CLAIMED) {
                if (event.token() <= token) {
                    violation("the token of job %d does not grow: %d after %d", job.id(), event.token(), token);
                }
                claims.add(event.token());
            } else if (event.token() < token) {
                violation("job %d has %s under token %d after %d", job.id(), event.kind(), event.token(), token);
            }
            token = Math.max(token, event.token());
        }
        if (token > job.token()) {
            violation("job %d has token %d, and %d was given", job.id(), job.token(), token);
        }
        if (job.state() == JobState.RUNNING && !claims.isEmpty()) {
            claims.remove(claims.size() - 1);
        }
        List<Long> ended = attempts.stream().map(History.Attempt::token).toList();
        if (!ended.equals(claims)) {
            violation("job %d was claimed under %s, and has attempts under %s", job.id(), claims, ended);
        }
    }

    private void used(History.Job job, List<History.Event> events, List<History.Attempt> attempts) {
        long since = 0;
        for (History.Event event : events) {
            if (event.kind() == EventKind.RETRIED || event.kind() == EventKind.REPLACED) {
                since = event.token();
            }
        }
        int burned = 0;
        for (History.Attempt attempt : attempts) {
            if (attempt.token() > since) {
                if (attempt.attempt() != burned + 1) {
                    violation(
                            "the attempt of job %d under token %d is called %d and is the %d.",
                            job.id(), attempt.token(), attempt.attempt(), burned + 1);
                }
                burned += attempt.outcome().countsAsAttempt() ? 1 : 0;
            }
        }
        if (burned != job.used()) {
            violation("job %d has used %d attempts and burned %d", job.id(), job.used(), burned);
        }
        if (burned > job.maxAttempts()) {
            violation("job %d has burned %d of %d attempts", job.id(), burned, job.maxAttempts());
        }
    }

    /** Checks that a job succeeds at most once, in its last attempt. */
    private void settlements(History.Job job, List<History.Attempt> attempts) {
        for (int i = 0; i < attempts.size(); i++) {
            boolean succeeded = attempts.get(i).outcome() == AttemptOutcome.SUCCEEDED;
            boolean last = i == attempts.size() - 1;
            if (succeeded && !last) {
                violation("job %d went on after it had succeeded", job.id());
            }
            if (last && succeeded != (job.state() == JobState.COMPLETED)) {
                violation(
                        "job %d is %s, and its last attempt %s",
                        job.id(), job.state(), attempts.get(i).outcome());
            }
        }
        if (attempts.isEmpty() && job.state() == JobState.COMPLETED) {
            violation("job %d is COMPLETED without an attempt", job.id());
        }
    }

    // ---- observations of handlers -----------------------------------------------------------------------------------

    private void handlersRanAsTheAttemptsSay() {
        Map<Call, Integer> starts = count(seen.starts());
        Map<Call, Integer> ends = count(seen.ends());
        Map<Call, Integer> claims = new HashMap<>();
        Map<String, Integer> repeated = new TreeMap<>();
        for (History.Attempt attempt : history.attempts()) {
            Call call = new Call(attempt.job(), attempt.attempt(), attempt.worker());
            claims.merge(call, 1, Integer::sum);
            switch (attempt.outcome()) {
                case SUCCEEDED -> {
                    if (!ends.containsKey(call)) {
                        violation("job %d has succeeded and its handler has not ended: %s", attempt.job(), call);
                    }
                }
                case FAILED, TIMEOUT -> {
                    if (!starts.containsKey(call)) {
                        violation("job %d is %s and its handler was not called", attempt.job(), attempt.outcome());
                    }
                }
                case RECOVERED, LOST -> {
                    // Two workers may have one name. For a started attempt, the ledger tells which of the two had it.
                    // An attempt that has not started is LOST, and its number is reused.
                    boolean excused = attempt.outcome() == AttemptOutcome.RECOVERED && starts.containsKey(call)
                            ? seen.interrupted().contains(call)
                            : seen.gone().containsKey(attempt.worker());
                    if (!excused) {
                        violation(
                                "job %d was taken from worker %s, which lived: %s",
                                attempt.job(), attempt.worker(), attempt.outcome());
                    }
                    if (starts.containsKey(call)) {
                        repeated.merge(attempt.worker(), 1, Integer::sum);
                    }
                }
                default -> {}
            }
        }
        starts.forEach((call, count) -> {
            if (count > claims.getOrDefault(call, 0)) {
                violation("a handler was called %d times for %d claims: %s", count, claims.getOrDefault(call, 0), call);
            }
        });
        repeated.forEach((worker, count) -> {
            repeatedCalls += count;
            int most = seen.inFlight() * seen.gone().getOrDefault(worker, 1);
            if (count > most) {
                violation("%d calls of worker %s were repeated, more than %d", count, worker, most);
            }
        });
    }

    private static Map<Call, Integer> count(List<Call> calls) {
        Map<Call, Integer> counts = new HashMap<>();
        calls.forEach(call -> counts.merge(call, 1, Integer::sum));
        return counts;
    }
}
