package dev.windrow.store.sql;

import dev.windrow.store.Duty;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Duties that one process at a time does for all. */
public final class Duties {
    private Duties() {}

    /** The state of a duty, by the store's clock. */
    public static Duty.State read(Statements statements, String name, long now) throws SQLException {
        Duty.State state = statements
                .get(Statement.READ_DUTY)
                .set(1, name)
                .find(row -> new Duty.State(
                        now, row.getString(1), Rows.longOrNull(row, 2), Rows.longOrNull(row, 3), row.getString(4)));
        return state == null ? new Duty.State(now, null, null, null, null) : state;
    }

    /** Takes a duty that is due, or keeps it; false if another process has it, or has done it. */
    public static boolean take(WriteTransaction tx, Duty duty) throws SQLException {
        tx.wrote();
        return tx.statements()
                        .get(Statement.TAKE_DUTY)
                        .set(1, duty.name())
                        .set(2, duty.holder())
                        .set(3, tx.now())
                        .set(4, tx.now() + duty.leaseMillis())
                        // By another clock, or in a transaction that has waited for the row, it may end a little later.
                        .set(5, tx.now() + 2 * duty.leaseMillis())
                        .set(6, tx.now() - duty.everyMillis())
                        .update()
                == 1;
    }

    /** Gives up a duty that is not done; false if it is another process's by now. */
    public static boolean giveUp(WriteTransaction tx, Duty duty) throws SQLException {
        tx.wrote();
        return tx.statements()
                        .get(Statement.GIVE_UP_DUTY)
                        .set(1, duty.name())
                        .set(2, duty.holder())
                        .update()
                == 1;
    }

    /** Notes that a duty is done; false if it is another process's by now. */
    public static boolean end(WriteTransaction tx, Duty duty, @Nullable String detail) throws SQLException {
        tx.wrote();
        return tx.statements()
                        .get(Statement.END_DUTY)
                        .set(1, duty.name())
                        .set(2, duty.holder())
                        .set(3, tx.now())
                        .set(4, detail)
                        .update()
                == 1;
    }
}
