package dev.windrow.spring.autoconfigure;

import dev.windrow.ChainHandle;
import dev.windrow.ChainRef;
import dev.windrow.Enqueued;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHandle;
import dev.windrow.JobHandles;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.schedule.Schedules;
import dev.windrow.spring.autoconfigure.WindrowProperties.TransactionMode;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The verbs of {@link Jobs} by the transactions of Spring. Outside of a transaction each verb has its own, as with {@link Windrow}. Inside, a
 * {@link TransactionMode} decides.
 */
final class TransactionalJobs implements Jobs {
    private final Windrow windrow;
    private final TransactionMode mode;
    private final @Nullable DataSource source;

    TransactionalJobs(Windrow windrow, TransactionMode mode, @Nullable DataSource source) {
        this.windrow = windrow;
        this.mode = mode;
        this.source = source;
    }

    private static boolean isInTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive();
    }

    /** Returns the verbs for this thread now. */
    private Jobs current() {
        return mode == TransactionMode.JOIN && isInTransaction() ? windrow.on(connection()) : windrow;
    }

    /** Returns the verbs for an enqueue on this thread now. */
    private Jobs writing() {
        if (isInTransaction()) {
            if (mode == TransactionMode.REFUSE) {
                throw new InvalidRequestException(
                        "enqueuing in a transaction is refused by windrow.transactions=refuse: enqueue before or after it");
            }
            if (mode == TransactionMode.JOIN && TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
                throw new InvalidRequestException(
                        "enqueuing in a read-only transaction is not possible: begin one that may write, without readOnly = true");
            }
        }
        return current();
    }

    /** Returns the connection of the transaction of this thread. */
    private Connection connection() {
        if (source == null) {
            throw new InvalidRequestException(
                    "a transaction of Spring is active, and the jobs in %s cannot join it: they are in no data source of the application. Set windrow.transactions to after-commit or immediately"
                            .formatted(windrow.location()));
        }
        boolean bound = TransactionSynchronizationManager.hasResource(source);
        Connection connection = DataSourceUtils.getConnection(source);
        try {
            if (connection.getAutoCommit()) {
                if (!bound) {
                    DataSourceUtils.releaseConnection(connection, source);
                }
                throw new InvalidRequestException(
                        "a transaction of Spring is active, but not on the data source of the jobs in %s: use its transaction manager, or call Windrow itself to enqueue at once"
                                .formatted(windrow.location()));
            }
        } catch (SQLException e) {
            throw new InvalidRequestException("the connection of the transaction is not usable: " + e.getMessage(), e);
        }
        JoinedTransaction.note(connection);
        return connection;
    }

    private boolean isDeferred() {
        return mode == TransactionMode.AFTER_COMMIT && isInTransaction();
    }

    @Override
    public <I extends @Nullable Object, O extends @Nullable Object> Enqueued<O> enqueue(JobRequest<I, O> request) {
        if (isDeferred()) {
            afterCommit(jobs -> jobs.enqueue(request));
            return Enqueued.afterCommit(request.type());
        }
        return writing().enqueue(request);
    }

    @Override
    public List<Enqueued<?>> enqueueAll(Collection<? extends JobRequest<?, ?>> requests) {
        if (isDeferred()) {
            List<JobRequest<?, ?>> copy = List.copyOf(requests);
            afterCommit(jobs -> jobs.enqueueAll(copy));
            List<Enqueued<?>> later = new ArrayList<>();
            for (JobRequest<?, ?> request : copy) {
                later.add(Enqueued.afterCommit(request.type()));
            }
            return later;
        }
        return writing().enqueueAll(requests);
    }

    private void afterCommit(Consumer<Jobs> enqueue) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new InvalidRequestException(
                    "a transaction is active whose commit Spring does not report: windrow.transactions=after-commit is not possible with it");
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            private boolean done;

            @Override
            public void afterCommit() {
                done = true;
                committed(enqueue);
            }

            @Override
            public void afterCompletion(int status) {
                if (!done && status == STATUS_COMMITTED) {
                    // A listener of the commit has called, when the others were being told of it already.
                    committed(enqueue);
                }
            }
        });
    }

    /*
     * The connection of the committed transaction has begun the next one, which on SQLite may hold the write lock already. So the jobs are enqueued on
     * this connection.
     */
    private void committed(Consumer<Jobs> enqueue) {
        Connection connection = openConnection();
        if (connection == null) {
            enqueue.accept(windrow);
            return;
        }
        enqueue.accept(windrow.on(connection));
        try {
            connection.commit();
        } catch (SQLException e) {
            throw new StoreUnavailableException(
                    "enqueuing after the commit of a transaction failed: " + e.getMessage(), e);
        }
    }

    /** Returns the connection that this thread has to the database of the jobs, outside of autocommit; or null. */
    private @Nullable Connection openConnection() {
        if (source == null || !TransactionSynchronizationManager.hasResource(source)) {
            return null;
        }
        Connection connection = DataSourceUtils.getConnection(source);
        try {
            return connection.getAutoCommit() ? null : connection;
        } catch (SQLException e) {
            return null;
        }
    }

    @Override
    public SubmittedWorkflow submit(Workflow workflow) {
        if (isDeferred()) {
            throw new InvalidRequestException(
                    "submitting a workflow or a batch in a transaction is not possible with windrow.transactions=after-commit: submit it after the transaction, or join");
        }
        return writing().submit(workflow);
    }

    @Override
    public <O extends @Nullable Object> JobHandle<O> job(JobRef<O> job) {
        return current().job(job);
    }

    @Override
    public <O extends @Nullable Object> JobHandle<O> job(JobType<?, O> type, String dedupeKey) {
        return current().job(type, dedupeKey);
    }

    @Override
    public <O extends @Nullable Object> ChainHandle<O> chain(ChainRef<O> chain) {
        return current().chain(chain);
    }

    @Override
    public JobHandles jobs(Collection<? extends JobRef<?>> jobs) {
        return current().jobs(jobs);
    }

    @Override
    public JobHandles jobsIfVersion(Map<? extends JobRef<?>, Long> versions) {
        return current().jobsIfVersion(versions);
    }

    @Override
    public Schedules schedules() {
        return current().schedules();
    }
}
