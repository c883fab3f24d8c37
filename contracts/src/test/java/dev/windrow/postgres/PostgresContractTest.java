package dev.windrow.postgres;

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
import dev.windrow.testserver.PostgresServer;
import dev.windrow.testserver.PreparedSchemas;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract of stores, tested with the PostgreSQL store on a real server. Each test has a store of its own. */
@Execution(ExecutionMode.CONCURRENT)
class PostgresContractTest {
    /** The operation timeout: twice the default, because ten thousand jobs are one operation, and the machine may be slow. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final PreparedSchemas SCHEMAS = new PreparedSchemas((source, schema) ->
            new StoreDriver(PostgresStore.configure(source).schema(schema).build(), new ManualTime()).close());

    private final PreparedSchemas.Lent schema = SCHEMAS.lend();

    @AfterEach
    void giveBack() {
        schema.close();
    }

    private Store newContractStore() {
        return PostgresStore.configure(schema.source())
                .schema(schema.name())
                .operationTimeout(PATIENCE)
                .build();
    }

    private Store storeInSchema() {
        // The store's own connections find the test's own tables, too.
        String url = PostgresServer.shared().url();
        return PostgresStore.configure(url + (url.contains("?") ? "&" : "?") + "currentSchema=" + schema.name())
                .schema(schema.name())
                .operationTimeout(PATIENCE)
                .build();
    }

    private Connection connectionInSchema() throws SQLException {
        Connection connection = PostgresServer.shared().dataSource().getConnection();
        // The schema for the test's own tables.
        connection.setSchema(schema.name());
        return connection;
    }

    @Nested
    class Enqueue extends EnqueueContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Claim extends ClaimContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class DirectDispatch extends DirectDispatchContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Settle extends SettleContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class History extends HistoryContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Report extends ReportContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Renew extends RenewContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Reclaim extends ReclaimContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Version extends VersionContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class WorkflowList extends WorkflowListContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Change extends ChangeContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class RetentionRules extends RetentionContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Audit extends AuditContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Bulk extends BulkContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Deletion extends DeletionContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class ChainList extends ChainListContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Chain extends ChainContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Dependency extends DependencyContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class ParentPolicies extends ParentPolicyContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Statistics extends StatisticsContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Suggest extends SuggestContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Read extends ReadContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class ListJobs extends ListContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class ManyLanes extends ManyLanesContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Limits extends LimitContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Outside extends ExternalCompletionContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Schedule extends ScheduleContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Registry extends RegistryContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Diagnose extends DiagnoseContract {
        /** A diagnosis reports a server that does not sync. */
        private static final PostgresServer SYNCING = PostgresServer.start();

        private final String schema = SYNCING.newSchema();

        @Override
        protected Store newStore() {
            return PostgresStore.configure(SYNCING.url())
                    .schema(schema)
                    .operationTimeout(PATIENCE)
                    .build();
        }
    }

    @Nested
    class Explain extends ExplainContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class StateMachine extends StateMachineContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Model extends ModelContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class Dedupe extends DedupeContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return connectionInSchema();
        }
    }

    @Nested
    class Blob extends BlobContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return PostgresServer.shared().dataSource().getConnection();
        }
    }

    @Nested
    class Metadata extends MetadataContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }
    }

    @Nested
    class CallerTransaction extends CallerTransactionContract {
        @Override
        protected Store newStore() {
            return storeInSchema();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return connectionInSchema();
        }
    }

    @Nested
    class DependentsRetry extends DependentsRetryContract {
        @Override
        protected Store newStore() {
            return storeInSchema();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return connectionInSchema();
        }
    }

    @Nested
    class Workflow extends WorkflowContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return connectionInSchema();
        }
    }

    @Nested
    class Turn extends KeyPermitContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return connectionInSchema();
        }
    }

    @Nested
    class Steps extends StepContract {
        @Override
        protected Store newStore() {
            return PostgresContractTest.this.newContractStore();
        }

        @Override
        protected Connection newConnection() throws SQLException {
            return connectionInSchema();
        }
    }
}
