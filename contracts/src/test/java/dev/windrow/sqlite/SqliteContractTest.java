package dev.windrow.sqlite;

import dev.windrow.Store;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.contract.BlobContract;
import dev.windrow.testkit.contract.BulkContract;
import dev.windrow.testkit.contract.CallerTransactionContract;
import dev.windrow.testkit.contract.ChainContract;
import dev.windrow.testkit.contract.ChangeContract;
import dev.windrow.testkit.contract.ClaimContract;
import dev.windrow.testkit.contract.DedupeContract;
import dev.windrow.testkit.contract.DependencyContract;
import dev.windrow.testkit.contract.DependentsRetryContract;
import dev.windrow.testkit.contract.DiagnoseContract;
import dev.windrow.testkit.contract.DirectDispatchContract;
import dev.windrow.testkit.contract.EnqueueContract;
import dev.windrow.testkit.contract.ExternalCompletionContract;
import dev.windrow.testkit.contract.HistoryContract;
import dev.windrow.testkit.contract.KeyPermitContract;
import dev.windrow.testkit.contract.LimitContract;
import dev.windrow.testkit.contract.ListContract;
import dev.windrow.testkit.contract.ManyLanesContract;
import dev.windrow.testkit.contract.ModelContract;
import dev.windrow.testkit.contract.ParentPolicyContract;
import dev.windrow.testkit.contract.ReadContract;
import dev.windrow.testkit.contract.ReclaimContract;
import dev.windrow.testkit.contract.RegistryContract;
import dev.windrow.testkit.contract.RenewContract;
import dev.windrow.testkit.contract.ReportContract;
import dev.windrow.testkit.contract.RetentionContract;
import dev.windrow.testkit.contract.ScheduleContract;
import dev.windrow.testkit.contract.SettleContract;
import dev.windrow.testkit.contract.StateMachineContract;
import dev.windrow.testkit.contract.StatisticsContract;
import dev.windrow.testkit.contract.StepContract;
import dev.windrow.testkit.contract.StoreDriver;
import dev.windrow.testkit.contract.WorkflowContract;
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

/** What every store must do, done by the SQLite store on a real file. Each test has a store of its own. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("once") // on one JDK: SQLite answers, and the tests of the engine use the same store on both
class SqliteContractTest {
    @TempDir
    Path folder;

    /** Empty tables of a store. Copied: to make them anew for each test takes 30 ms. */
    private static byte[] empty;

    @BeforeAll
    static void makeTables(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("empty.db");
        new StoreDriver(SqliteStore.at(file), new ManualTime()).close();
        empty = Files.readAllBytes(file);
    }

    @BeforeEach
    void copyTables() throws IOException {
        Files.write(file(), empty);
    }

    /** As an application should connect: foreign keys on, patient for ten seconds. */
    private Connection connect() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.enforceForeignKeys(true);
        config.setBusyTimeout(10_000);
        return config.createConnection("jdbc:sqlite:" + file());
    }

    private Path file() {
        return folder.resolve("jobs.db");
    }

    /** What one store does, another one on the file finds out at its next look: in tests, soon. */
    private Store newContractStore() {
        return SqliteStore.configure(file()).safetyLook(Duration.ofMillis(100)).build();
    }

    @Nested
    class Enqueue extends EnqueueContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Claim extends ClaimContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class DirectDispatch extends DirectDispatchContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Settle extends SettleContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class History extends HistoryContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Report extends ReportContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Renew extends RenewContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Reclaim extends ReclaimContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Change extends ChangeContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class RetentionRules extends RetentionContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Bulk extends BulkContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Chain extends ChainContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Dependency extends DependencyContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class ParentPolicies extends ParentPolicyContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Statistics extends StatisticsContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Read extends ReadContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class ListJobs extends ListContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class ManyLanes extends ManyLanesContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Limits extends LimitContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Outside extends ExternalCompletionContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Schedule extends ScheduleContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Registry extends RegistryContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Diagnose extends DiagnoseContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class StateMachine extends StateMachineContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Model extends ModelContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class Dedupe extends DedupeContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return SqliteContractTest.this.connect();
        }
    }

    @Nested
    class Blob extends BlobContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return SqliteContractTest.this.connect();
        }
    }

    @Nested
    class CallerTransaction extends CallerTransactionContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return SqliteContractTest.this.connect();
        }
    }

    @Nested
    class DependentsRetry extends DependentsRetryContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return SqliteContractTest.this.connect();
        }
    }

    @Nested
    class Workflow extends WorkflowContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return SqliteContractTest.this.connect();
        }
    }

    @Nested
    class Turn extends KeyPermitContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return SqliteContractTest.this.connect();
        }
    }

    @Nested
    class Steps extends StepContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return SqliteContractTest.this.connect();
        }
    }
}
