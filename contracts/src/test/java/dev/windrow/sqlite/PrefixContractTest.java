package dev.windrow.sqlite;

import dev.windrow.Store;
import dev.windrow.contract.StoreDriver;
import dev.windrow.contract.job.CallerTransactionContract;
import dev.windrow.contract.job.ChangeContract;
import dev.windrow.contract.job.ClaimContract;
import dev.windrow.contract.job.SettleContract;
import dev.windrow.contract.limit.LimitContract;
import dev.windrow.contract.payload.BlobContract;
import dev.windrow.contract.processes.RegistryContract;
import dev.windrow.contract.retention.RetentionContract;
import dev.windrow.contract.schedule.ScheduleContract;
import dev.windrow.contract.workflow.WorkflowContract;
import dev.windrow.testkit.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.sqlite.SQLiteConfig;

/** The contracts of most kinds of changes, on tables with a prefix. {@link SqliteContractTest} runs all contracts, and {@code SqlPlanTest} each statement. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("once") // on one JDK: SQLite answers
class PrefixContractTest {
    @TempDir
    Path folder;

    private static byte[] empty;

    @BeforeAll
    static void makeTables(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("empty.db");
        new StoreDriver(store(file), new ManualTime()).close();
        empty = Files.readAllBytes(file);
    }

    @BeforeEach
    void copyTables() throws IOException {
        Files.write(file(), empty);
    }

    private Path file() {
        return folder.resolve("jobs.db");
    }

    private static Store store(Path file) {
        return SqliteStore.configure(file)
                .tablePrefix("shop_")
                .safetyLook(Duration.ofMillis(100))
                .build();
    }

    private Store newContractStore() {
        return store(file());
    }

    private Connection connect() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.enforceForeignKeys(true);
        config.setBusyTimeout(10_000);
        return config.createConnection("jdbc:sqlite:" + file());
    }

    @Nested
    class Claim extends ClaimContract {
        @Override
        protected Store newStore() {
            return newContractStore();
        }
    }

    @Nested
    class Settle extends SettleContract {
        @Override
        protected Store newStore() {
            return newContractStore();
        }
    }

    @Nested
    class Change extends ChangeContract {
        @Override
        protected Store newStore() {
            return newContractStore();
        }
    }

    @Nested
    class Limit extends LimitContract {
        @Override
        protected Store newStore() {
            return newContractStore();
        }
    }

    @Nested
    class Registry extends RegistryContract {
        @Override
        protected Store newStore() {
            return newContractStore();
        }
    }

    @Nested
    class Retention extends RetentionContract {
        @Override
        protected Store newStore() {
            return newContractStore();
        }
    }

    @Nested
    class Schedule extends ScheduleContract {
        @Override
        protected Store newStore() {
            return newContractStore();
        }
    }

    @Nested
    class CallerTransaction extends CallerTransactionContract {
        @Override
        protected Store newStore() {
            return newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return connect();
        }
    }

    @Nested
    class Blob extends BlobContract {
        @Override
        protected Store newStore() {
            return newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return connect();
        }
    }

    @Nested
    class Workflow extends WorkflowContract {
        @Override
        protected Store newStore() {
            return newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return connect();
        }
    }
}
