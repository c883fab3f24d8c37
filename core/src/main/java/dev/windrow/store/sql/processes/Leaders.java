package dev.windrow.store.sql.processes;

import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The background tasks that one process at a time does for all. */
public final class Leaders {
    private Leaders() {}

    /** Returns the state of a background task, by the store's clock. */
    public static BackgroundTask.State read(Statements statements, String name, long now) throws SQLException {
        BackgroundTask.State state = statements
                .get(Statement.READ_TASK)
                .set(1, name)
                .find(row -> new BackgroundTask.State(
                        now, row.getString(1), Rows.longOrNull(row, 2), Rows.longOrNull(row, 3), row.getString(4)));
        return state == null ? new BackgroundTask.State(now, null, null, null, null) : state;
    }

    /** Takes a background task that is due, or keeps it; false if another process has it, or has done it. */
    public static boolean take(WriteTransaction tx, BackgroundTask task) throws SQLException {
        tx.wrote();
        return tx.statements()
                        .get(Statement.LEAD)
                        .set(1, task.name())
                        .set(2, task.holder())
                        .set(3, tx.now())
                        .set(4, tx.now() + task.leaseMillis())
                        // A lease may end a little later, by another clock, or in a transaction that has waited for the
                        // row.
                        .set(5, tx.now() + 2 * task.leaseMillis())
                        .set(6, tx.now() - task.everyMillis())
                        .update()
                == 1;
    }

    /** Gives up a background task that is not done; false if another process has it by now. */
    public static boolean giveUp(WriteTransaction tx, BackgroundTask task) throws SQLException {
        tx.wrote();
        return tx.statements()
                        .get(Statement.RESIGN)
                        .set(1, task.name())
                        .set(2, task.holder())
                        .update()
                == 1;
    }

    /** Records that a background task is done; false if another process has it by now. */
    public static boolean end(WriteTransaction tx, BackgroundTask task, @Nullable String detail) throws SQLException {
        tx.wrote();
        return tx.statements()
                        .get(Statement.END_TASK)
                        .set(1, task.name())
                        .set(2, task.holder())
                        .set(3, tx.now())
                        .set(4, detail)
                        .update()
                == 1;
    }
}
