package dev.windrow.sqlite;

import dev.windrow.EventKind;
import dev.windrow.JobStory;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * What keeps the history of a job bounded that snoozes for years: when it has very many attempts, those between the first and the
 * last go, with everything that was said under their tokens. In their place stands one event.
 */
final class Trims {
    /** How many go at once. An end of an attempt costs a comparison; one in so many costs a few statements. */
    private static final int STEP = 16;

    private Trims() {}

    /** A claim of this job, or an end from outside, that had this token is over. */
    static void ended(WriteTransaction tx, long job, long token) throws SQLException {
        if (token % STEP == 0 && token > JobStory.FIRST_ATTEMPTS + JobStory.LAST_ATTEMPTS) {
            trim(tx, job, JobStory.FIRST_ATTEMPTS + 1, token - JobStory.LAST_ATTEMPTS);
        }
    }

    private static void trim(WriteTransaction tx, long job, long first, long last) throws SQLException {
        long events;
        long place;
        long at;
        try (ResultSet row = bind(tx, Sql.TRIMMED_EVENTS, job, first, last).executeQuery()) {
            row.next();
            events = row.getLong(1);
            place = row.getLong(2);
            at = row.getLong(3);
        }
        if (events == 0) {
            return;
        }
        bind(tx, Sql.TRIM_EVENTS, job, first, last).executeUpdate();
        long attempts = bind(tx, Sql.TRIM_ATTEMPTS, job, first, last).executeUpdate();
        if (bind(tx, Sql.GROW_TRIMMED, job, attempts, events).executeUpdate() == 0) {
            PreparedStatement note = tx.statements.get(Sql.INSERT_EVENT);
            note.setLong(1, job);
            note.setLong(2, place);
            note.setLong(3, at);
            note.setString(4, EventKind.TRIMMED.name());
            note.setLong(5, tx.names.actor("system"));
            note.setLong(6, 0);
            note.setString(7, JsonText.object("attempts", attempts, "events", events));
            note.executeUpdate();
        }
    }

    private static PreparedStatement bind(WriteTransaction tx, String sql, long first, long second, long third)
            throws SQLException {
        PreparedStatement statement = tx.statements.get(sql);
        statement.setLong(1, first);
        statement.setLong(2, second);
        statement.setLong(3, third);
        return statement;
    }
}
