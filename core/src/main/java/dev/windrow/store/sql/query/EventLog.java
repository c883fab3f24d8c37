package dev.windrow.store.sql.query;

import dev.windrow.JobHistory;
import java.util.ArrayList;
import java.util.List;

/**
 * The event log of a job: the stored entries, and the ones that the rows of the job and of its attempts tell. A claim and a start are times of an
 * attempt, and so is the end of the attempt that completed the job. An entry of the log would say the same again.
 */
final class EventLog {
    /**
     * An entry.
     *
     * @param token the attempt to which it belongs; 0 before the first claim
     * @param stored true if it is in the log
     */
    record Entry(JobHistory.Event event, long token, boolean stored) {}

    private EventLog() {}

    /**
     * Puts the entries in order. Stored ones keep theirs. The others find their places by token, and by time among the stored ones of the same
     * attempt.
     *
     * @param entries the stored ones by number; the others by token
     */
    static List<JobHistory.Event> inOrder(List<Entry> entries) {
        List<Entry> log = new ArrayList<>(entries.stream().filter(Entry::stored).toList());
        int place = 0;
        for (Entry entry : entries) {
            if (!entry.stored) {
                place = place(log, entry, place);
                log.add(place, entry);
                place++;
            }
        }
        return log.stream().map(Entry::event).toList();
    }

    /** Returns the place of an entry, at this one or behind it. */
    private static int place(List<Entry> log, Entry entry, int from) {
        int place = from;
        while (place < log.size() && isBefore(log.get(place), entry)) {
            place++;
        }
        return place;
    }

    private static boolean isBefore(Entry stored, Entry told) {
        if (stored.token != told.token) {
            return stored.token < told.token;
        }
        return switch (told.event.event()) {
            case ENQUEUED, CLAIMED -> false;
            case STARTED -> stored.event.at().isBefore(told.event.at());
            default -> !stored.event.at().isAfter(told.event.at());
        };
    }
}
