package dev.windrow.store.sql;

import java.sql.SQLException;

/** The open transaction of a store, as rules see it that both stores share. */
public interface WriteTransaction {
    /** The statements of its connection. */
    Statements statements();

    /** The time of all that it writes, in milliseconds since 1970. */
    long now();

    /** The number of an actor. */
    long actor(String name) throws SQLException;

    /** Says that a rule has written something. */
    void wrote();

    /** A new id. */
    long nextId() throws SQLException;

    /** Says that a schedule which was seen to is due next at this time: others find that when they look. */
    void scheduleDue(long at);

    /** Says that a schedule which was made or changed is due at this time: others have to be told. */
    void scheduleChanged(long at);
}
