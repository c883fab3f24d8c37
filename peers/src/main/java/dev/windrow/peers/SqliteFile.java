package dev.windrow.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import org.sqlite.SQLiteConfig;

/** A pool on a SQLite file: as the documentation of these queues has it, or with what helps a queue. */
record SqliteFile(boolean byHand, Peer.Durability durability) {
    /** The pool that was fastest for both; more wait for each other inside SQLite, which is dearer than here. */
    private static final int CONNECTIONS = Integer.getInteger("windrow.peers.connections", 10);

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
            config.setMaximumPoolSize(CONNECTIONS);
        }
        return new HikariDataSource(config);
    }
}
