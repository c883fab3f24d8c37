package dev.windrow.sqlite;

import dev.windrow.store.WorkerRow;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The registry of live workers. */
final class Registry {
    private Registry() {}

    static void announce(WriteTransaction tx, WorkerRow worker) throws SQLException {
        PreparedStatement insert = tx.statements.get(Sql.ANNOUNCE);
        insert.setString(1, worker.name());
        insert.setString(2, worker.host());
        insert.setLong(3, worker.pid());
        insert.setString(4, worker.version());
        insert.setString(5, JsonText.strings(worker.queues()));
        insert.setString(6, JsonText.strings(worker.types()));
        insert.setInt(7, worker.slots());
        insert.setLong(8, tx.now);
        insert.setLong(9, tx.now + worker.ttlMillis());
        insert.setInt(10, worker.stuck());
        insert.executeUpdate();
    }

    static void withdraw(WriteTransaction tx, String worker) throws SQLException {
        PreparedStatement delete = tx.statements.get(Sql.WITHDRAW);
        delete.setString(1, worker);
        delete.executeUpdate();
    }
}
