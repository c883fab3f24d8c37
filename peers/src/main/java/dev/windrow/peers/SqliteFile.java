package dev.windrow.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import org.sqlite.SQLiteConfig;

/**
 * A pool of ten connections on a SQLite file, as the documentation of these queues has it; or also with what helps a queue.
 * Pools of one or two were slower.
 */
record SqliteFile(boolean byHand, Peer.Durability durability) {
    /** The driver's own defaults, which are FULL. */
    static SqliteFile asDocumented() {
        return new SqliteFile(false, Peer.Durability.FULL);
    }

    /** By hand: a log instead of a journal, patience, the write lock when a transaction begins. */
    static SqliteFile byHand(Peer.Durability durability) {
        return new SqliteFile(true, durability);
    }

    String setup() {
        return byHand ? "WAL by hand" : "as documented";
    }

    HikariDataSource open(Path file) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:sqlite:" + file);
        if (byHand) {
            SQLiteConfig sqlite = new SQLiteConfig();
            sqlite.setJournalMode(SQLiteConfig.JournalMode.WAL);
            sqlite.setSynchronous(SQLiteConfig.SynchronousMode.valueOf(durability.name()));
            sqlite.setBusyTimeout(10_000);
            sqlite.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
            sqlite.toProperties().forEach((name, value) -> config.addDataSourceProperty((String) name, value));
        }
        return new HikariDataSource(config);
    }
}
