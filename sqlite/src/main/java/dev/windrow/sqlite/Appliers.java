package dev.windrow.sqlite;

import dev.windrow.store.Announce;
import dev.windrow.store.Arrange;
import dev.windrow.store.BlobPart;
import dev.windrow.store.Change;
import dev.windrow.store.Claim;
import dev.windrow.store.Command;
import dev.windrow.store.ControlChange;
import dev.windrow.store.EndDuty;
import dev.windrow.store.EndWaits;
import dev.windrow.store.Enqueue;
import dev.windrow.store.Expiry;
import dev.windrow.store.Fire;
import dev.windrow.store.Prune;
import dev.windrow.store.Reclaim;
import dev.windrow.store.Recount;
import dev.windrow.store.Release;
import dev.windrow.store.Report;
import dev.windrow.store.RetentionChange;
import dev.windrow.store.ScheduleChange;
import dev.windrow.store.Settle;
import dev.windrow.store.Shrink;
import dev.windrow.store.Signal;
import dev.windrow.store.Started;
import dev.windrow.store.StepWrite;
import dev.windrow.store.SweepStaged;
import dev.windrow.store.TakeDuty;
import dev.windrow.store.Touch;
import dev.windrow.store.Unstage;
import dev.windrow.store.Withdraw;
import dev.windrow.store.WithdrawProcess;
import dev.windrow.store.sql.Blobs;
import dev.windrow.store.sql.Controls;
import dev.windrow.store.sql.Duties;
import dev.windrow.store.sql.Firings;
import dev.windrow.store.sql.Recounts;
import dev.windrow.store.sql.Refused;
import dev.windrow.store.sql.Registry;
import dev.windrow.store.sql.Retentions;
import dev.windrow.store.sql.Schedules;
import dev.windrow.store.sql.Steps;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The commands that are applied one by one, and the numbers that each command needs. */
final class Appliers {
    private static final Map<Class<?>, Applier<?, ?>> ONE_BY_ONE = new HashMap<>();
    /** The numbers of ids and events; 1 where none is given. */
    private static final Map<Class<?>, ToIntFunction<?>> IDS = new HashMap<>();

    static {
        write(Announce.class, (tx, announce) -> Registry.announce(tx, announce.worker()));
        write(Withdraw.class, (tx, withdraw) -> Registry.withdraw(tx, withdraw.worker()));
        write(WithdrawProcess.class, (tx, ended) -> Registry.withdrawProcess(tx, ended.process()));
        write(Touch.class, (tx, touch) -> tx.stamp());
        apply(Change.class, Changes::apply);
        apply(Signal.class, (tx, signal) -> Refused.beforeWriting(() -> Steps.signal(tx, signal)));
        apply(StepWrite.class, (tx, step) -> Refused.beforeWriting(() -> Settles.writeStep(tx, step)));
        apply(Reclaim.class, Reclaims::reclaim);
        apply(ControlChange.class, Controls::change);
        apply(Arrange.class, (tx, arrange) -> tx.turns.arrange(arrange));
        apply(
                ScheduleChange.class,
                (tx, change) -> Refused.beforeWriting(() -> Schedules.change(tx, new SqliteRuns(tx), change)));
        apply(
                Fire.class,
                (tx, fire) -> Refused.beforeWriting(() -> Firings.fire(tx, new SqliteRuns(tx), fire.firings())));
        apply(BlobPart.class, Blobs::stage);
        write(Unstage.class, (tx, unstage) -> Blobs.unstage(tx, unstage.blob()));
        apply(SweepStaged.class, (tx, sweep) -> Blobs.sweep(tx, sweep.olderThanMillis(), sweep.limit()));
        apply(EndWaits.class, (tx, end) -> Waits.end(tx, end.limit()));
        apply(RetentionChange.class, Retentions::change);
        apply(Expiry.Batch.class, Removals::expire);
        apply(Recount.class, Recounts::add);
        apply(Prune.class, (tx, prune) -> Retentions.prune(tx, prune.limit(), prune.asOfMillis()));
        apply(Shrink.class, (tx, shrink) -> FreePages.giveBack(tx.statements()));
        apply(TakeDuty.class, (tx, take) -> Duties.take(tx, take.duty()));
        apply(EndDuty.class, (tx, end) -> Duties.end(tx, end.duty(), end.detail()));
        // In a caller's transaction only: those of one of the store's own are applied together.
        apply(Enqueue.class, (tx, enqueue) -> Enqueues.enqueue(tx, enqueue, HandOff.NONE));
        apply(Settle.class, (tx, settle) -> Settles.settle(tx, List.of(settle), Set.of())[0]);

        ids(Settle.class, settle -> 3 + (settle.next() == null ? 0 : Enqueues.ids(List.of(settle.next()))));
        ids(Report.class, report -> 2);
        ids(Started.class, started -> 1);
        ids(Change.class, Changes::ids);
        ids(Enqueue.class, enqueue -> Enqueues.ids(enqueue.jobs()));
        ids(Reclaim.class, Reclaims::ids);
        ids(Claim.class, claim -> Math.min(claim.limit(), 64));
        ids(Signal.class, signal -> 2);
        ids(ScheduleChange.class, change -> SqliteRuns.IDS);
        ids(Fire.class, fire -> SqliteRuns.IDS * fire.jobs());
        ids(Release.class, release -> Release.PART);
    }

    private Appliers() {}

    private static <C extends Command<T>, T extends @Nullable Object> void apply(
            Class<C> command, Applier<C, T> applier) {
        ONE_BY_ONE.put(command, applier);
    }

    private static <C extends Command<?>> void ids(Class<C> command, ToIntFunction<C> ids) {
        IDS.put(command, ids);
    }

    private interface Write<C> {
        void write(SqliteTransaction tx, C command) throws SQLException;
    }

    @SuppressWarnings("NullAway") // a command without an answer answers null
    private static <C extends Command<Void>> void write(Class<C> command, Write<C> write) {
        apply(command, (tx, each) -> {
            write.write(tx, each);
            return null;
        });
    }

    /** The classes of commands that are applied one by one. */
    static Set<Class<?>> commands() {
        return Collections.unmodifiableSet(ONE_BY_ONE.keySet());
    }

    /** Applies a command; returns its answer. */
    static <T extends @Nullable Object> T apply(SqliteTransaction tx, Command<T> command) throws SQLException {
        return command instanceof OwnCommand<T> own
                ? own.work().apply(tx)
                : applier(command).apply(tx, command);
    }

    @SuppressWarnings("unchecked") // put under the class of the commands that it applies
    private static <T extends @Nullable Object> Applier<Command<T>, T> applier(Command<T> command) {
        Applier<?, ?> applier = ONE_BY_ONE.get(command.getClass());
        if (applier == null) {
            throw new IllegalArgumentException(command.what() + " is not possible in a caller's transaction");
        }
        return (Applier<Command<T>, T>) applier;
    }

    /** The number of ids and event numbers that a command needs, roughly. */
    @SuppressWarnings("unchecked") // put under the class of the commands that it is for
    static int ids(Command<?> command) {
        ToIntFunction<Command<?>> ids = (ToIntFunction<Command<?>>) IDS.get(command.getClass());
        return ids == null ? 1 : ids.applyAsInt(command);
    }
}
