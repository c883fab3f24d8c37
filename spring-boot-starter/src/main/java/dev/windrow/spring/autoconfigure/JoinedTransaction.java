package dev.windrow.spring.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/*
 * After the commit of a transaction, Spring still shows it as active to the listeners of the commit. What they write on its connection belongs to a
 * new transaction of the database, which Spring does not commit: depending on the pool it is rolled back. So it is committed here.
 */
/** Commits jobs that were enqueued on the connection of a transaction after its commit. */
final class JoinedTransaction implements TransactionSynchronization {
    private final Connection connection;
    private boolean completing;
    private boolean late;

    private JoinedTransaction(Connection connection) {
        this.connection = connection;
    }

    /** Notes a write on the connection of the transaction of this thread. */
    static void note(Connection connection) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return;
        }
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof JoinedTransaction joined) {
                joined.late = joined.completing;
                return;
            }
        }
        TransactionSynchronizationManager.registerSynchronization(new JoinedTransaction(connection));
    }

    @Override
    public void beforeCompletion() {
        completing = true;
    }

    @Override
    public void afterCompletion(int status) {
        if (status != STATUS_COMMITTED || (completing && !late)) {
            return;
        }
        try {
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "jobs that were enqueued after the commit of a transaction are lost: " + e.getMessage(), e);
        }
    }
}
