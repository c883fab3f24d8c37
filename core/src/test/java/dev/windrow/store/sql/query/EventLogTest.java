package dev.windrow.store.sql.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventLogTest {
    private static EventLog.Entry stored(EventKind kind, long token, long at) {
        return new EventLog.Entry(event(kind, at), token, true);
    }

    private static EventLog.Entry told(EventKind kind, long token, long at) {
        return new EventLog.Entry(event(kind, at), token, false);
    }

    private static JobHistory.Event event(EventKind kind, long at) {
        return new JobHistory.Event(Instant.ofEpochMilli(at), kind, "w", null);
    }

    private static List<EventKind> order(EventLog.Entry... entries) {
        return EventLog.inOrder(Arrays.asList(entries)).stream()
                .map(JobHistory.Event::event)
                .toList();
    }

    @Test
    void aJobWithoutStoredEventsIsToldInOrder() {
        assertThat(order(
                        told(EventKind.ENQUEUED, 0, 1),
                        told(EventKind.CLAIMED, 1, 2),
                        told(EventKind.STARTED, 1, 3),
                        told(EventKind.SUCCEEDED, 1, 4)))
                .containsExactly(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
    }

    @Test
    void aToldEventStandsAtItsAttempt() {
        assertThat(order(
                        told(EventKind.ENQUEUED, 0, 1),
                        told(EventKind.CLAIMED, 1, 2),
                        told(EventKind.STARTED, 1, 3),
                        told(EventKind.CLAIMED, 2, 9),
                        told(EventKind.STARTED, 2, 9),
                        told(EventKind.SUCCEEDED, 2, 10),
                        stored(EventKind.REPLACED, 0, 1),
                        stored(EventKind.HEARTBEAT, 1, 4),
                        stored(EventKind.RETRY_SCHEDULED, 1, 5),
                        stored(EventKind.RELEASED, 1, 8)))
                .containsExactly(
                        EventKind.ENQUEUED,
                        EventKind.REPLACED,
                        EventKind.CLAIMED,
                        EventKind.STARTED,
                        EventKind.HEARTBEAT,
                        EventKind.RETRY_SCHEDULED,
                        EventKind.RELEASED,
                        EventKind.CLAIMED,
                        EventKind.STARTED,
                        EventKind.SUCCEEDED);
    }

    @Test
    void withinAnAttemptTheTimeDecides() {
        assertThat(order(
                        told(EventKind.CLAIMED, 1, 2),
                        told(EventKind.STARTED, 1, 4),
                        told(EventKind.SUCCEEDED, 1, 6),
                        stored(EventKind.CANCEL_REQUESTED, 1, 3),
                        stored(EventKind.HEARTBEAT, 1, 6),
                        stored(EventKind.METADATA_CHANGED, 1, 7)))
                .containsExactly(
                        EventKind.CLAIMED,
                        EventKind.CANCEL_REQUESTED,
                        EventKind.STARTED,
                        EventKind.HEARTBEAT,
                        EventKind.SUCCEEDED,
                        EventKind.METADATA_CHANGED);
    }

    /** The entry for deleted ones has token 0, and stands between the attempts that are left. */
    @Test
    void storedEventsKeepTheirOrder() {
        assertThat(order(
                        told(EventKind.CLAIMED, 1, 2),
                        told(EventKind.CLAIMED, 60, 90),
                        stored(EventKind.SNOOZED, 1, 3),
                        stored(EventKind.TRIMMED, 0, 4),
                        stored(EventKind.SNOOZED, 60, 91)))
                .containsExactly(
                        EventKind.CLAIMED, EventKind.SNOOZED, EventKind.TRIMMED, EventKind.CLAIMED, EventKind.SNOOZED);
    }

    /** A claim of an earlier clock still comes after the attempt before it. */
    @Test
    void aClockThatWasSetBackMovesNoAttempt() {
        assertThat(order(
                        told(EventKind.CLAIMED, 1, 100),
                        told(EventKind.CLAIMED, 2, 50),
                        stored(EventKind.RETRY_SCHEDULED, 1, 101),
                        stored(EventKind.FAILED, 2, 51)))
                .containsExactly(EventKind.CLAIMED, EventKind.RETRY_SCHEDULED, EventKind.CLAIMED, EventKind.FAILED);
    }
}
