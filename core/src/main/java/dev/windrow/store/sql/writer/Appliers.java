package dev.windrow.store.sql.writer;

import dev.windrow.store.Command;
import dev.windrow.store.job.FindKeyed;
import dev.windrow.store.job.Withdraw;
import dev.windrow.store.job.WithdrawProcess;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.store.monitor.RecordReveal;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.payload.SweepStaged;
import dev.windrow.store.payload.Unstage;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.EndTask;
import dev.windrow.store.processes.Lead;
import dev.windrow.store.processes.Resign;
import dev.windrow.store.retention.Recount;
import dev.windrow.store.retention.RetentionChange;
import dev.windrow.store.sql.limit.LimitChanges;
import dev.windrow.store.sql.monitor.Reveals;
import dev.windrow.store.sql.payload.Blobs;
import dev.windrow.store.sql.processes.Leaders;
import dev.windrow.store.sql.processes.Registry;
import dev.windrow.store.sql.query.Queries;
import dev.windrow.store.sql.retention.Recounts;
import dev.windrow.store.sql.retention.Retentions;
import dev.windrow.store.sql.step.Steps;
import dev.windrow.store.step.Signal;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which a store applies commands one by one: the shared rules of both stores, and its own. Filled once; safe for use by many threads
 * after that.
 *
 * @param <X> the store's transactions
 */
public final class Appliers<X extends WriteTransaction> {
    private final Map<Class<?>, Applier<X, ?, ?>> byCommand = new HashMap<>();

    /**
     * The rule that applies the commands of a class in a transaction.
     *
     * @param <X> the transaction
     * @param <C> the class
     * @param <T> the result
     */
    public interface Applier<X, C extends Command<T>, T extends @Nullable Object> {
        /** Applies a command; returns its result. A refusal rolls back the writes of the command. */
        T apply(X tx, C command) throws SQLException;
    }

    /**
     * The rule that applies the commands of a class without a result.
     *
     * @param <X> the transaction
     * @param <C> the class
     */
    public interface Write<X, C> {
        /** Applies a command. */
        void write(X tx, C command) throws SQLException;
    }

    /** Creates the rules that both stores share. */
    public Appliers() {
        onWrite(Announce.class, (tx, announce) -> Registry.announce(tx, announce.worker()));
        onWrite(Withdraw.class, (tx, withdraw) -> Registry.withdraw(tx, withdraw.worker()));
        onWrite(WithdrawProcess.class, (tx, ended) -> Registry.withdrawProcess(tx, ended.process()));
        on(Signal.class, (tx, signal) -> Refused.beforeWriting(() -> Steps.signal(tx, signal)));
        on(FindKeyed.class, (tx, keyed) -> Queries.find(tx.statements(), keyed));
        on(LimitChange.class, LimitChanges::apply);
        on(Stage.class, Blobs::stage);
        onWrite(Unstage.class, (tx, unstage) -> Blobs.unstage(tx, unstage.blob()));
        on(SweepStaged.class, (tx, sweep) -> Blobs.sweep(tx, sweep.olderThanMillis(), sweep.limit()));
        on(RetentionChange.class, Retentions::change);
        onWrite(RecordReveal.class, Reveals::record);
        on(Recount.class, Recounts::add);
        on(Lead.class, (tx, take) -> Leaders.take(tx, take.task()));
        on(Resign.class, (tx, giveUp) -> Leaders.giveUp(tx, giveUp.task()));
        on(EndTask.class, (tx, end) -> Leaders.end(tx, end.task(), end.detail()));
    }

    /** Adds a rule. */
    public <C extends Command<T>, T extends @Nullable Object> void on(Class<C> command, Applier<X, C, T> applier) {
        byCommand.put(command, applier);
    }

    /** Adds a rule for commands without a result. */
    @SuppressWarnings("NullAway") // a command without a result returns null
    public <C extends Command<Void>> void onWrite(Class<C> command, Write<X, C> write) {
        on(command, (tx, each) -> {
            write.write(tx, each);
            return null;
        });
    }

    /** Returns the classes of commands that have a rule. */
    public Set<Class<?>> commands() {
        return Collections.unmodifiableSet(byCommand.keySet());
    }

    /** Applies a command; returns its result. */
    @SuppressWarnings("unchecked") // stored under the class of the commands that it applies
    public <T extends @Nullable Object> T apply(X tx, Command<T> command) throws SQLException {
        Applier<X, Command<T>, T> applier = (Applier<X, Command<T>, T>) byCommand.get(command.getClass());
        if (applier == null) {
            throw new IllegalArgumentException(
                    "%s is not possible in a caller's transaction: no rule applies a %s alone"
                            .formatted(command.what(), command.getClass().getSimpleName()));
        }
        return applier.apply(tx, command);
    }
}
