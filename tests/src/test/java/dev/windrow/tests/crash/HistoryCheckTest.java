package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.JobState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The checker finds each kind of violation that the test plants into a correct history. */
class HistoryCheckTest {
    private final List<History.Job> jobs = new ArrayList<>();
    private final List<History.Attempt> attempts = new ArrayList<>();
    private final List<History.Event> events = new ArrayList<>();
    private final List<String> troubles = new ArrayList<>();
    private final Map<String, Integer> tried = new HashMap<>();
    private final Set<String> refused = new HashSet<>();
    private final Map<Long, Set<JobState>> acknowledged = new HashMap<>();
    private final Set<String> owed = new HashSet<>();
    private final List<HistoryCheck.Call> starts = new ArrayList<>();
    private final List<HistoryCheck.Call> ends = new ArrayList<>();
    private final Map<String, Integer> gone = new HashMap<>();
    private final Set<HistoryCheck.Call> interrupted = new HashSet<>();

    /** Builds a correct history. Job 1 succeeds after a crash of worker A, job 2 fails in its only attempt, and job 3 was never acknowledged. */
    HistoryCheckTest() {
        tried.put("e.0", 2);
        tried.put("e.1", 1);
        tried.put("e.2", 5);
        gone.put("A", 1);
        interrupted.add(new HistoryCheck.Call(1, 1, "A"));
        acknowledged.put(1L, Set.of(JobState.COMPLETED));
        acknowledged.put(2L, Set.of(JobState.FAILED));
        jobs.add(new History.Job(1, "e.0-0", JobState.COMPLETED, 3, 2, 9, ""));
        events(1, 0, EventKind.ENQUEUED);
        events(1, 1, EventKind.CLAIMED, EventKind.STARTED, EventKind.RECOVERED, EventKind.RETRY_SCHEDULED);
        events(1, 2, EventKind.CLAIMED, EventKind.RELEASED);
        events(1, 3, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
        attempts.add(new History.Attempt(1, 1, 1, "A", AttemptOutcome.RECOVERED));
        attempts.add(new History.Attempt(1, 2, 2, "B", AttemptOutcome.RELEASED));
        attempts.add(new History.Attempt(1, 3, 2, "B", AttemptOutcome.SUCCEEDED));
        starts.add(new HistoryCheck.Call(1, 1, "A"));
        starts.add(new HistoryCheck.Call(1, 2, "B"));
        ends.add(new HistoryCheck.Call(1, 2, "B"));
        jobs.add(new History.Job(2, "e.0-1", JobState.FAILED, 1, 1, 1, ""));
        events(2, 0, EventKind.ENQUEUED);
        events(2, 1, EventKind.CLAIMED, EventKind.STARTED, EventKind.FAILED);
        attempts.add(new History.Attempt(2, 1, 1, "B", AttemptOutcome.FAILED));
        starts.add(new HistoryCheck.Call(2, 1, "B"));
        jobs.add(new History.Job(3, "e.1-0", JobState.COMPLETED, 1, 1, 9, ""));
        events(3, 0, EventKind.ENQUEUED, EventKind.RELEASED);
        events(3, 1, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
        attempts.add(new History.Attempt(3, 1, 1, "B", AttemptOutcome.SUCCEEDED));
        starts.add(new HistoryCheck.Call(3, 1, "B"));
        ends.add(new HistoryCheck.Call(3, 1, "B"));
    }

    private void events(long job, long token, EventKind... kinds) {
        for (EventKind kind : kinds) {
            events.add(new History.Event(job, kind, token));
        }
    }

    private HistoryCheck.Result check() {
        return HistoryCheck.of(
                new History(jobs, attempts, events, troubles),
                new HistoryCheck.Seen(tried, refused, acknowledged, owed, starts, ends, gone, interrupted, 1));
    }

    private void assertFound(String... violations) {
        assertThat(check().violations()).containsExactlyInAnyOrder(violations);
    }

    private void replaceJob(int index, History.Job job) {
        jobs.set(index, job);
    }

    private void removeEvent(long job, EventKind kind) {
        assertThat(events.removeIf(event -> event.job() == job && event.kind() == kind))
                .isTrue();
    }

    @Test
    void a_correct_history_has_no_violations() {
        assertFound();
        assertThat(check().repeatedCalls()).isEqualTo(1);
    }

    @Test
    void a_lost_job_is_found() {
        acknowledged.put(4L, Set.of(JobState.COMPLETED));
        assertFound("job 4 was acknowledged and is lost");
    }

    @Test
    void a_chain_that_does_not_continue_is_found() {
        owed.addAll(Set.of("e.1-0", "e.0-0/1-0"));
        assertFound("no job has continued with e.0-0/1-0");
    }

    @Test
    void a_job_without_an_enqueue_is_found() {
        tried.remove("e.1");
        assertFound("no enqueuer has tried to enqueue the 1 jobs of call 'e.1'");
    }

    @Test
    void a_job_of_a_call_that_was_refused_is_found() {
        refused.add("e.1");
        assertFound("call e.1 was refused and wrote 1 jobs");
    }

    @Test
    void a_partly_written_call_is_found() {
        tried.put("e.1", 2);
        assertFound("call e.1 was to write 2 jobs and wrote 1");
    }

    @Test
    void a_job_that_was_written_twice_is_found() {
        replaceJob(2, new History.Job(3, "e.0-0", JobState.COMPLETED, 1, 1, 9, ""));
        assertFound("job 3 was written twice, as e.0-0", "call e.0 was to write 2 jobs and wrote 3");
    }

    @Test
    void a_job_without_an_end_is_found() {
        replaceJob(1, new History.Job(2, "e.0-1", JobState.RUNNING, 1, 0, 1, ""));
        removeEvent(2, EventKind.FAILED);
        attempts.removeIf(attempt -> attempt.job() == 2);
        assertThat(check().violations()).contains("job 2 is still RUNNING");
    }

    @Test
    void a_job_with_a_wrong_end_state_is_found() {
        acknowledged.put(2L, Set.of(JobState.COMPLETED));
        assertFound("job 2 (e.0-1) is FAILED, not [COMPLETED]: ");
    }

    @Test
    void a_step_outside_of_the_state_machine_is_found() {
        removeEvent(3, EventKind.CLAIMED);
        assertFound(
                "job 3 cannot have had event 3 of [ENQUEUED, RELEASED, STARTED, SUCCEEDED]",
                "job 3 was claimed under [], and has attempts under [1]");
    }

    @Test
    void a_claim_of_a_scheduled_job_needs_no_event_for_its_promotion() {
        // A correct history has the sequence RETRY_SCHEDULED, CLAIMED. A claim of a blocked job is different.
        events.add(9, new History.Event(1, EventKind.SUCCEEDED, 3));
        assertThat(check().violations()).anyMatch(violation -> violation.contains("cannot have had event"));
    }

    @Test
    void a_state_that_contradicts_the_events_is_found() {
        removeEvent(3, EventKind.SUCCEEDED);
        assertFound("job 3 is COMPLETED, and by its events [RUNNING]: [ENQUEUED, RELEASED, CLAIMED, STARTED]");
    }

    @Test
    void a_token_that_does_not_grow_is_found() {
        events.replaceAll(e -> e.job() == 1 && e.token() == 3 ? new History.Event(e.job(), e.kind(), 2) : e);
        assertFound(
                "the token of job 1 does not grow: 2 after 2",
                "job 1 was claimed under [1, 2, 2], and has attempts under [1, 2, 3]");
    }

    @Test
    void a_token_of_an_earlier_claim_is_found() {
        events.replaceAll(
                e -> e.job() == 1 && e.kind() == EventKind.SUCCEEDED ? new History.Event(e.job(), e.kind(), 1) : e);
        assertFound("job 1 has SUCCEEDED under token 1 after 3");
    }

    @Test
    void a_job_with_a_token_below_its_claims_is_found() {
        replaceJob(2, new History.Job(3, "e.1-0", JobState.COMPLETED, 0, 1, 9, ""));
        assertFound("job 3 has token 0, and 1 was given");
    }

    @Test
    void an_ended_attempt_without_a_row_is_found() {
        attempts.remove(1);
        assertFound("job 1 was claimed under [1, 2, 3], and has attempts under [1, 3]");
    }

    @Test
    void a_wrong_number_of_counted_attempts_is_found() {
        replaceJob(0, new History.Job(1, "e.0-0", JobState.COMPLETED, 3, 3, 9, ""));
        assertFound("job 1 has used 3 attempts and burned 2");
    }

    @Test
    void more_attempts_than_allowed_are_found() {
        replaceJob(0, new History.Job(1, "e.0-0", JobState.COMPLETED, 3, 2, 1, ""));
        assertFound("job 1 has burned 2 of 1 attempts");
    }

    @Test
    void an_attempt_with_a_wrong_number_is_found() {
        attempts.set(1, new History.Attempt(1, 2, 1, "B", AttemptOutcome.RELEASED));
        assertFound("the attempt of job 1 under token 2 is called 1 and is the 2.");
    }

    @Test
    void a_job_that_succeeded_twice_is_found() {
        attempts.set(1, new History.Attempt(1, 2, 2, "B", AttemptOutcome.SUCCEEDED));
        attempts.set(2, new History.Attempt(1, 3, 3, "B", AttemptOutcome.SUCCEEDED));
        assertThat(check().violations()).contains("job 1 went on after it had succeeded");
    }

    @Test
    void a_success_without_a_successful_attempt_is_found() {
        attempts.set(3, new History.Attempt(2, 1, 1, "B", AttemptOutcome.SUCCEEDED));
        ends.add(new HistoryCheck.Call(2, 1, "B"));
        assertFound("job 2 is FAILED, and its last attempt SUCCEEDED");
    }

    @Test
    void a_success_of_work_that_was_not_done_is_found() {
        ends.remove(0);
        assertFound("job 1 has succeeded and its handler has not ended: Call[job=1, attempt=2, worker=B]");
    }

    @Test
    void a_failure_of_a_handler_that_was_not_called_is_found() {
        starts.remove(2);
        assertFound("job 2 is FAILED and its handler was not called");
    }

    @Test
    void a_job_reclaimed_from_a_live_worker_is_found() {
        gone.clear();
        starts.remove(0);
        assertFound("job 1 was taken from worker A, which lived: RECOVERED");
    }

    @Test
    void a_job_reclaimed_from_a_live_worker_with_the_name_of_a_killed_one_is_found() {
        interrupted.clear();
        assertFound("job 1 was taken from worker A, which lived: RECOVERED");
    }

    @Test
    void an_attempt_lost_before_its_start_may_repeat_its_number_and_worker() {
        gone.put("B", 1);
        attempts.set(1, new History.Attempt(1, 2, 2, "B", AttemptOutcome.LOST));
        assertFound();
    }

    @Test
    void a_call_without_a_claim_is_found() {
        starts.add(new HistoryCheck.Call(3, 1, "B"));
        assertFound("a handler was called 2 times for 1 claims: Call[job=3, attempt=1, worker=B]");
    }

    @Test
    void more_repeated_calls_than_were_in_flight_are_found() {
        attempts.set(1, new History.Attempt(1, 2, 2, "A", AttemptOutcome.LOST));
        starts.add(new HistoryCheck.Call(1, 2, "A"));
        interrupted.add(new HistoryCheck.Call(1, 2, "A"));
        assertFound("2 calls of worker A were repeated, more than 1");
        gone.put("A", 2);
        assertFound();
    }

    @Test
    void problems_found_by_the_doctor_are_reported() {
        troubles.add("integrity_check: page 7");
        assertFound("integrity_check: page 7");
    }
}
