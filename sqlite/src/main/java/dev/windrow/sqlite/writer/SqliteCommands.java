package dev.windrow.sqlite.writer;

import dev.windrow.sqlite.job.Changes;
import dev.windrow.sqlite.job.DirectDispatch;
import dev.windrow.sqlite.job.Enqueues;
import dev.windrow.sqlite.job.Reclaims;
import dev.windrow.sqlite.job.Settles;
import dev.windrow.sqlite.retention.FreePages;
import dev.windrow.sqlite.retention.Removals;
import dev.windrow.sqlite.schedule.SqliteRuns;
import dev.windrow.sqlite.step.Waits;
import dev.windrow.store.Command;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Release;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Touch;
import dev.windrow.store.limit.Admit;
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
import dev.windrow.store.step.Signal;
import dev.windrow.store.step.StepWrite;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The rules of the commands that are applied one by one, or in a caller's transaction, and the numbers that each command needs. */
final class SqliteCommands {
    private static final Appliers<SqliteTransaction> APPLIERS = new Appliers<>();
    /** The number of ids and event numbers for each class of command; 1 for a class that is not in the map. */
    private static final Map<Class<?>, ToIntFunction<?>> IDS = new HashMap<>();

    static {
        APPLIERS.onWrite(Touch.class, (tx, touch) -> tx.stamp());
        APPLIERS.on(Change.class, Changes::apply);
        APPLIERS.on(Reclaim.class, Reclaims::reclaim);
        APPLIERS.on(Admit.class, (tx, admit) -> tx.permits.admit(admit));
        APPLIERS.on(
                ScheduleChange.class,
                (tx, change) -> Refused.beforeWriting(() -> ScheduleTable.change(tx, new SqliteRuns(tx), change)));
        APPLIERS.on(
                Fire.class,
                (tx, fire) ->
                        Refused.beforeWriting(() -> ScheduleRuns.fire(tx, new SqliteRuns(tx), fire.allDueRuns())));
        APPLIERS.on(EndWaits.class, (tx, end) -> Waits.end(tx, end.limit()));
        APPLIERS.on(Expire.class, Removals::expire);
        APPLIERS.on(Prune.class, (tx, prune) -> Retentions.prune(tx, prune.limit(), prune.asOfMillis()));
        APPLIERS.on(Shrink.class, (tx, shrink) -> FreePages.shrink(tx.statements()));
        // Only in a caller's transaction. In a transaction of the store, SqliteRules applies these commands together.
        APPLIERS.on(StepWrite.class, (tx, step) -> Refused.beforeWriting(() -> Settles.writeStep(tx, step)));
        APPLIERS.on(Enqueue.class, (tx, enqueue) -> Enqueues.enqueue(tx, enqueue, DirectDispatch.NONE));
        APPLIERS.on(Settle.class, (tx, settle) -> Settles.settle(tx, List.of(settle))[0]);

        ids(Settle.class, settle -> 1 + (settle.next() == null ? 0 : Enqueues.ids(List.of(settle.next()))));
        ids(Report.class, report -> 2);
        ids(Change.class, Changes::ids);
        ids(Enqueue.class, enqueue -> Enqueues.ids(enqueue.jobs()));
        ids(Reclaim.class, Reclaims::ids);
        ids(Signal.class, signal -> 2);
        ids(ScheduleChange.class, change -> SqliteRuns.IDS);
        ids(Fire.class, fire -> SqliteRuns.IDS * fire.jobs());
        ids(Release.class, release -> Release.PART);
    }

    private SqliteCommands() {}

    private static <C extends Command<?>> void ids(Class<C> command, ToIntFunction<C> ids) {
        IDS.put(command, ids);
    }

    /** Returns the classes of commands that are applied one by one. */
    static Set<Class<?>> commands() {
        return APPLIERS.commands();
    }

    /** Applies a command and returns its result. */
    static <T extends @Nullable Object> T apply(SqliteTransaction tx, Command<T> command) throws SQLException {
        return command instanceof OwnCommand<T> own ? own.work().apply(tx) : APPLIERS.apply(tx, command);
    }

    /** Returns the approximate number of ids and event numbers that a command needs. */
    @SuppressWarnings("unchecked") // stored under the class of its commands
    static int ids(Command<?> command) {
        ToIntFunction<Command<?>> ids = (ToIntFunction<Command<?>>) IDS.get(command.getClass());
        return ids == null ? 1 : ids.applyAsInt(command);
    }
}
