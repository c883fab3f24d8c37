package dev.windrow.postgres.writer;

import dev.windrow.postgres.job.Changes;
import dev.windrow.postgres.job.Enqueues;
import dev.windrow.postgres.job.JobSql;
import dev.windrow.postgres.job.Reclaims;
import dev.windrow.postgres.job.Settles;
import dev.windrow.postgres.retention.Removals;
import dev.windrow.postgres.schedule.PostgresRuns;
import dev.windrow.postgres.step.Waits;
import dev.windrow.store.Command;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.Withdraw;
import dev.windrow.store.job.WithdrawProcess;
import dev.windrow.store.limit.Admit;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Prune;
import dev.windrow.store.retention.Shrink;
import dev.windrow.store.schedule.Fire;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.sql.retention.Retentions;
import dev.windrow.store.sql.schedule.ScheduleRuns;
import dev.windrow.store.sql.schedule.ScheduleTable;
import dev.windrow.store.sql.writer.Appliers;
import dev.windrow.store.sql.writer.Refused;
import dev.windrow.store.step.EndWaits;
import dev.windrow.store.step.StepWrite;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The commands that are applied one by one. Also the requirements of each command before its transaction begins: a writer, the numbers of names, and
 * ids for new jobs.
 */
public final class PostgresCommands {
    private static final Appliers<PostgresTransaction> APPLIERS = new Appliers<>();
    /** The writers of commands, default {@link Writer.Kind#PATIENT}. */
    private static final Map<Class<?>, Writer.Kind> WRITERS = new HashMap<>();
    /** The names that a command uses besides {@link Command#actor}; none for a class without an entry. */
    private static final Map<Class<?>, BiConsumer<Names.Used, ?>> NAMES = new HashMap<>();
    /** The number of ids that a command uses; 0 for a class without an entry. */
    private static final Map<Class<?>, ToIntFunction<?>> IDS = new HashMap<>();

    static {
        APPLIERS.onWrite(
                Touch.class, (tx, touch) -> tx.statements().get(JobSql.TOUCH).update());
        APPLIERS.on(Change.class, Changes::apply);
        APPLIERS.on(Reclaim.class, Reclaims::reclaim);
        APPLIERS.on(Admit.class, (tx, admit) -> tx.permits.admit(admit));
        APPLIERS.on(
                ScheduleChange.class,
                (tx, change) -> Refused.beforeWriting(() -> ScheduleTable.change(tx, new PostgresRuns(tx), change)));
        APPLIERS.on(
                Fire.class,
                (tx, fire) ->
                        Refused.beforeWriting(() -> ScheduleRuns.fire(tx, new PostgresRuns(tx), fire.allDueRuns())));
        APPLIERS.on(EndWaits.class, (tx, end) -> Waits.end(tx, end.limit()));
        APPLIERS.on(Expire.class, (tx, batch) -> Retentions.expire(tx, new Removals(tx), batch));
        APPLIERS.on(Prune.class, (tx, prune) -> Removals.prune(tx, prune.limit(), prune.asOfMillis()));
        // The server's autovacuum does this.
        APPLIERS.on(Shrink.class, (tx, shrink) -> 0L);
        // The following are used in a caller's transaction only. PostgresRules applies them together in a transaction
        // of the store.
        APPLIERS.on(StepWrite.class, (tx, step) -> Refused.beforeWriting(() -> Settles.writeStep(tx, step)));
        APPLIERS.on(Enqueue.class, Enqueues::enqueue);
        APPLIERS.on(Settle.class, (tx, settle) -> Settles.settle(tx, List.of(settle))[0]);

        WRITERS.put(Settle.class, Writer.Kind.WORK);
        WRITERS.put(Started.class, Writer.Kind.WORK);
        WRITERS.put(Report.class, Writer.Kind.WORK);
        WRITERS.put(StepWrite.class, Writer.Kind.WORK);
        WRITERS.put(Claim.class, Writer.Kind.CLAIMS);
        WRITERS.put(Renew.class, Writer.Kind.ALIVE);
        WRITERS.put(Announce.class, Writer.Kind.ALIVE);
        WRITERS.put(Withdraw.class, Writer.Kind.ALIVE);
        WRITERS.put(WithdrawProcess.class, Writer.Kind.ALIVE);
        WRITERS.put(Touch.class, Writer.Kind.ALIVE);

        names(Settle.class, (used, settle) -> next(used, settle.next()));
        names(Change.class, (used, change) -> next(used, change.next()));
        names(Enqueue.class, (used, enqueue) -> Enqueues.names(used, enqueue.jobs()));
        names(Reclaim.class, (used, reclaim) -> reclaim.orphans().forEach(orphan -> used.actor(orphan.actor())));
        names(Claim.class, (used, claim) -> used.worker(claim.worker()));
        names(ScheduleChange.class, PostgresRuns::names);
        names(Fire.class, (used, fire) -> PostgresRuns.names(used, fire.allDueRuns()));
        names(Announce.class, (used, announce) -> used.worker(announce.worker().id()));
        names(Withdraw.class, (used, withdraw) -> used.worker(withdraw.worker()));

        ids(Settle.class, settle -> settle.next() == null ? 0 : 1);
        ids(Change.class, change -> change.next() == null ? 0 : 1);
        ids(Enqueue.class, enqueue -> Enqueues.ids(enqueue.jobs()));
        ids(ScheduleChange.class, change -> 1);
        ids(Fire.class, Fire::jobs);
    }

    private PostgresCommands() {}

    private static <C extends Command<?>> void names(Class<C> command, BiConsumer<Names.Used, C> names) {
        NAMES.put(command, names);
    }

    private static <C extends Command<?>> void ids(Class<C> command, ToIntFunction<C> ids) {
        IDS.put(command, ids);
    }

    private static void next(Names.Used used, @Nullable JobRow next) {
        if (next != null) {
            Enqueues.names(used, List.of(next));
        }
    }

    /** Returns the classes of commands that are applied one by one. */
    static Set<Class<?>> commands() {
        return APPLIERS.commands();
    }

    /** Applies a command. Returns its result. */
    static <T extends @Nullable Object> T apply(PostgresTransaction tx, Command<T> command) throws SQLException {
        return command instanceof OwnCommand<T> own ? own.work.apply(tx) : APPLIERS.apply(tx, command);
    }

    /** Returns the kind of the writer of a command. */
    public static Writer.Kind writer(Command<?> command) {
        if (command instanceof Enqueue enqueue) {
            return enqueue.hasDedupeKeys()
                    ? Writer.Kind.KEYED
                    : enqueue.hasParents() ? Writer.Kind.PATIENT : Writer.Kind.WORK;
        }
        return WRITERS.getOrDefault(command.getClass(), Writer.Kind.PATIENT);
    }

    /** Adds the names that a command is going to use, which must have numbers before its transaction begins. */
    @SuppressWarnings("unchecked") // the value is stored under the class of its commands
    public static void names(Names.Used used, Command<?> command) {
        if (command instanceof OwnCommand<?> own) {
            own.names.accept(used);
        }
        if (command.actor() != null) {
            used.actor(command.actor());
        }
        BiConsumer<Names.Used, Command<?>> names = (BiConsumer<Names.Used, Command<?>>) NAMES.get(command.getClass());
        if (names != null) {
            names.accept(used, command);
        }
    }

    /** Returns the number of ids that the new jobs and workflows of a command need. */
    @SuppressWarnings("unchecked") // the value is stored under the class of its commands
    static int ids(Command<?> command) {
        ToIntFunction<Command<?>> ids = (ToIntFunction<Command<?>>) IDS.get(command.getClass());
        return ids == null ? 0 : ids.applyAsInt(command);
    }
}
