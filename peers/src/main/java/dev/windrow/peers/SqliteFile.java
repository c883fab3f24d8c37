package dev.windrow.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.windrow.Store;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;
import org.sqlite.SQLiteConfig;

/**
 * A SQLite file for each run, with the settings of these queues' documentation, or also with settings that help a
 * queue. Pools of one or two connections were slower.
 */
record SqliteFile(boolean byHand, Durability durability) implements Place {
    /** Returns the place with the driver's own defaults, which are FULL. */
    static SqliteFile asDocumented() {
        return new SqliteFile(false, Durability.FULL);
    }

    /**
     * Returns the place with settings by hand: WAL instead of a rollback journal, a busy timeout, and the write lock
     * from the begin of a transaction.
     */
    static SqliteFile byHand(Durability durability) {
        return new SqliteFile(true, durability);
    }

    @Override
    public String setup() {
        return byHand ? "WAL by hand" : "as documented";
    }

    @Override
    public Ground fresh(Path folder) {
        Path file = folder.resolve("jobs.db");
        return new Ground() {
            @Override
            public HikariDataSource pool() {
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

            @Override
            public Store store() {
                return SqliteStore.configure(file)
                        .durability(dev.windrow.sqlite.Durability.valueOf(durability.name()))
                        .build();
            }

            @Override
            public void close() {
                // The file is deleted with its folder.
            }
        };
    }
}
