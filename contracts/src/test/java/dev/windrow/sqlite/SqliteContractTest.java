package dev.windrow.sqlite;

import dev.windrow.Store;
import dev.windrow.contract.ModelContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.contract.job.BulkContract;
import dev.windrow.contract.job.CallerTransactionContract;
import dev.windrow.contract.job.ChangeContract;
import dev.windrow.contract.job.ClaimContract;
import dev.windrow.contract.job.DedupeContract;
import dev.windrow.contract.job.DeletionContract;
import dev.windrow.contract.job.DirectDispatchContract;
import dev.windrow.contract.job.EnqueueContract;
import dev.windrow.contract.job.HistoryContract;
import dev.windrow.contract.job.ManyLanesContract;
import dev.windrow.contract.job.ReclaimContract;
import dev.windrow.contract.job.RenewContract;
import dev.windrow.contract.job.ReportContract;
import dev.windrow.contract.job.SettleContract;
import dev.windrow.contract.job.StateMachineContract;
import dev.windrow.contract.job.VersionContract;
import dev.windrow.contract.limit.KeyPermitContract;
import dev.windrow.contract.limit.LimitContract;
import dev.windrow.contract.monitor.AuditContract;
import dev.windrow.contract.monitor.DiagnoseContract;
import dev.windrow.contract.monitor.ExplainContract;
import dev.windrow.contract.monitor.StatisticsContract;
import dev.windrow.contract.monitor.SuggestContract;
import dev.windrow.contract.payload.BlobContract;
import dev.windrow.contract.payload.MetadataContract;
import dev.windrow.contract.processes.RegistryContract;
import dev.windrow.contract.query.ListContract;
import dev.windrow.contract.query.ReadContract;
import dev.windrow.contract.retention.RetentionContract;
import dev.windrow.contract.schedule.ScheduleContract;
import dev.windrow.contract.step.ExternalCompletionContract;
import dev.windrow.contract.step.StepContract;
import dev.windrow.contract.workflow.ChainContract;
import dev.windrow.contract.workflow.ChainListContract;
import dev.windrow.contract.workflow.DependencyContract;
import dev.windrow.contract.workflow.DependentsRetryContract;
import dev.windrow.contract.workflow.ParentPolicyContract;
import dev.windrow.contract.workflow.WorkflowContract;
import dev.windrow.contract.workflow.WorkflowListContract;
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

/** The contract of stores, tested with the SQLite store on a real file. Each test has a store of its own. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("once") // on one JDK: SQLite answers, and the tests of the engine use the same store on both
class SqliteContractTest {
    @TempDir
    Path folder;

    /** The file with the empty tables of a store. Tests copy it, because creating the tables for each test takes 30 ms. */
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

    /** Connects as an application should: with foreign keys, and a busy timeout of ten seconds. */
    private Connection connect() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.enforceForeignKeys(true);
        config.setBusyTimeout(10_000);
        return config.createConnection("jdbc:sqlite:" + file());
    }

    private Path file() {
        return folder.resolve("jobs.db");
    }

    /** Returns a store that finds changes of another store on the file soon, by its next poll. */
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
    class Version extends VersionContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class WorkflowList extends WorkflowListContract {
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
    class Audit extends AuditContract {
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
    class Deletion extends DeletionContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
        }
    }

    @Nested
    class ChainList extends ChainListContract {
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
    class Suggest extends SuggestContract {
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
    class Explain extends ExplainContract {
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
    class Metadata extends MetadataContract {
        @Override
        protected Store newStore() {
            return SqliteContractTest.this.newContractStore();
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
