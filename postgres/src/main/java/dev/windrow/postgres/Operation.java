package dev.windrow.postgres;

import dev.windrow.Control;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.Signalled;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.store.Change;
import dev.windrow.store.ChangeResult;
import dev.windrow.store.ClaimRequest;
import dev.windrow.store.Claimed;
import dev.windrow.store.ControlChange;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.Hold;
import dev.windrow.store.JobRow;
import dev.windrow.store.Reclaim;
import dev.windrow.store.Report;
import dev.windrow.store.Settlement;
import dev.windrow.store.Signal;
import dev.windrow.store.Started;
import dev.windrow.store.StepAnswer;
import dev.windrow.store.StepWrite;
import dev.windrow.store.Taker;
import dev.windrow.store.Weight;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Something that a caller wants written, on its way through the writer. Its future is completed after the commit.
 *
 * @param <T> the answer
 */
abstract sealed class Operation<T> {
    final CompletableFuture<T> future;
    /** When it was submitted, by {@link System#nanoTime}. */
    final long since = System.nanoTime();

    private int delays;
    private long notBefore;
    private @Nullable T answer;
    private @Nullable WindrowException refusal;

    private Operation() {
        this(new CompletableFuture<>());
    }

    private Operation(CompletableFuture<T> future) {
        this.future = future;
    }

    /** How many rows it concerns, roughly: what the queue and a batch are measured in. */
    int weight() {
        return 1;
    }

    /**
     * Whether its caller waits when the queue is full. What keeps a worker alive does not: there is little of it, and being
     * late is worse than being one too many.
     */
    boolean waitsForRoom() {
        return true;
    }

    /** Adds the names that it is going to use, which must have numbers before its transaction begins. */
    void names(Names.Used used) {}

    /** The job whose row it changes, if it is one: others may hold its lock. */
    @Nullable Long job() {
        return null;
    }

    /** Whether it can end a job, and so touches those that wait for it. */
    boolean endsJob() {
        return false;
    }

    /** How often it found what it needs in the hands of others. */
    final int delays() {
        return delays;
    }

    /** Puts it off until then, by {@link System#nanoTime}. */
    final void delay(long untilNanos) {
        delays++;
        notBefore = untilNanos;
    }

    /** Puts it off for as long as another one, which it must not overtake. */
    final void delayAs(Operation<?> other) {
        delays = other.delays;
        notBefore = other.notBefore;
    }

    final boolean isDelayedAt(long nanoTime) {
        return delays > 0 && notBefore - nanoTime > 0;
    }

    final long notBefore() {
        return notBefore;
    }

    /** What it does, for messages. */
    abstract String what();

    final void answer(T value) {
        answer = value;
    }

    /** Refused before it wrote anything: it fails alone, and the rest of its transaction goes on. */
    final void refuse(WindrowException e) {
        refusal = e;
    }

    final boolean isRefused() {
        return refusal != null;
    }

    final void forget() {
        answer = null;
        refusal = null;
    }

    /** Tells the caller, after the commit. */
    final void complete() {
        if (refusal != null) {
            future.completeExceptionally(refusal);
        } else {
            future.complete(answer);
        }
    }

    final void fail(WindrowException e) {
        future.completeExceptionally(e);
    }

    /** Whether the caller has an answer, if only that it was withdrawn. */
    final boolean isEnded() {
        return future.isDone();
    }

    final void withdraw(String timeout, String why) {
        fail(new StoreUnavailableException(
                "%s was not done within %s and was withdrawn: %s".formatted(what(), timeout, why)));
    }

    final void outcomeUnknown(String why) {
        fail(new OutcomeUnknownException(
                "%s has an unknown outcome: %s; it may have been written, or be written yet".formatted(what(), why),
                ids()));
    }

    /** The ids of new jobs, as far as they are known. */
    List<Long> ids() {
        return List.of();
    }

    static final class Settle extends Operation<Boolean> {
        final Settlement settlement;

        Settle(Settlement settlement) {
            this.settlement = settlement;
        }

        @Override
        int weight() {
            return Weight.of(settlement);
        }

        @Override
        void names(Names.Used used) {
            used.actor(settlement.worker());
            if (settlement.next() != null) {
                Enqueues.names(used, List.of(settlement.next()));
            }
        }

        @Override
        Long job() {
            return settlement.job().id();
        }

        @Override
        boolean endsJob() {
            return true;
        }

        @Override
        String what() {
            return "settling job " + settlement.job().id();
        }
    }

    /** Not waited for; see {@link dev.windrow.store.OpenStore#started}. */
    static final class Start extends Operation<Void> {
        final Started started;

        Start(Started started) {
            this.started = started;
        }

        @Override
        void names(Names.Used used) {
            used.actor(started.worker());
        }

        @Override
        Long job() {
            return started.hold().id();
        }

        @Override
        String what() {
            return "recording the start of job " + started.hold().id();
        }
    }

    /** What a running attempt tells of itself; false: it was lost. */
    static final class Tell extends Operation<Boolean> {
        final Report report;

        Tell(Report report) {
            this.report = report;
        }

        @Override
        int weight() {
            return Weight.of(report);
        }

        @Override
        void names(Names.Used used) {
            used.actor(report.worker());
        }

        @Override
        Long job() {
            return report.hold().id();
        }

        @Override
        String what() {
            return "recording what job " + report.hold().id() + " reports";
        }
    }

    /** A durable step of a running attempt; empty: it was lost. */
    static final class Step extends Operation<Optional<StepAnswer>> {
        final StepWrite step;

        Step(StepWrite step) {
            this.step = step;
        }

        @Override
        int weight() {
            return 1 + Weight.of(step.result());
        }

        @Override
        Long job() {
            return step.hold().id();
        }

        @Override
        String what() {
            return "writing step '%s' of job %d"
                    .formatted(step.name(), step.hold().id());
        }
    }

    /** Tells a job of an event. */
    static final class Tidings extends Operation<Signalled> {
        final Signal signal;

        Tidings(Signal signal) {
            this.signal = signal;
        }

        @Override
        void names(Names.Used used) {
            used.actor(signal.actor());
        }

        @Override
        String what() {
            return "signalling job " + signal.job();
        }
    }

    static final class Renew extends Operation<List<Hold>> {
        final List<Hold> holds;
        final long leaseMillis;

        Renew(List<Hold> holds, long leaseMillis) {
            this.holds = holds;
            this.leaseMillis = leaseMillis;
        }

        @Override
        int weight() {
            return Math.max(1, holds.size());
        }

        @Override
        boolean waitsForRoom() {
            return false;
        }

        @Override
        String what() {
            return "renewing " + holds.size() + " leases";
        }
    }

    static final class Modify extends Operation<ChangeResult> {
        /** How long a change of many jobs waits for one that somebody else has locked: a commit takes less. */
        private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

        final Change change;
        final List<Long> ids;
        final boolean strict;

        Modify(Change change, List<Long> ids, boolean strict) {
            this.change = change;
            this.ids = ids;
            this.strict = strict;
        }

        /** Whether it has waited for rows that others hold, and goes on without them: one of many is no reason to fail. */
        boolean leavesOutLocked() {
            return !strict && delays() > 0 && System.nanoTime() - since > PATIENCE_NANOS;
        }

        @Override
        int weight() {
            return Math.max(1, ids.size());
        }

        @Override
        void names(Names.Used used) {
            used.actor(change.actor());
            if (change.next() != null) {
                Enqueues.names(used, List.of(change.next()));
            }
        }

        @Override
        String what() {
            return "changing jobs (" + change.verb() + ")";
        }
    }

    static final class Enqueue extends Operation<List<EnqueuedJob>> {
        final List<JobRow> rows;
        private final int weight;
        /** Whether some of the jobs have a dedupe key or a concurrency key. */
        final boolean hasKeys;
        /** Whether some have a dedupe key, which somebody may have taken and not committed. */
        final boolean hasDedupeKeys;
        /** Whether it may be refused for what it refers to. */
        final boolean isChecked;
        /** How many ids it needs. */
        final int idsNeeded;

        private volatile List<Long> ids = List.of();

        Enqueue(List<JobRow> rows) {
            this.rows = rows;
            this.weight = Weight.of(rows);
            this.hasKeys = Enqueues.withKeys(rows);
            this.hasDedupeKeys = Enqueues.withDedupeKeys(rows);
            this.isChecked = Enqueues.areChecked(rows);
            this.idsNeeded = Enqueues.ids(rows);
        }

        /** Known before the commit, so that an unknown outcome can name them. */
        void ids(List<EnqueuedJob> jobs) {
            ids = jobs.stream()
                    .filter(job -> !job.deduplicated())
                    .map(EnqueuedJob::id)
                    .toList();
        }

        @Override
        int weight() {
            return weight;
        }

        @Override
        void names(Names.Used used) {
            Enqueues.names(used, rows);
        }

        /** Whether it waits for others, whose rows it locks. */
        boolean hasParents() {
            for (JobRow row : rows) {
                if (!row.parents().isEmpty()) {
                    return true;
                }
            }
            return false;
        }

        @Override
        String what() {
            return "enqueuing " + rows.size() + (rows.size() == 1 ? " job" : " jobs");
        }

        @Override
        List<Long> ids() {
            return ids;
        }
    }

    static final class TakeBack extends Operation<List<Reclaim>> {
        final List<Reclaim> reclaims;
        private final long withinMillis;

        TakeBack(List<Reclaim> reclaims, long withinMillis) {
            this.reclaims = reclaims;
            this.withinMillis = withinMillis;
        }

        /** Whether it has waited for so long that what it rests on is too old. */
        boolean isTooLate() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since) > withinMillis;
        }

        /** It comes from another line's thread. There are no more at once than there are reclaimers. */
        @Override
        boolean waitsForRoom() {
            return false;
        }

        @Override
        int weight() {
            return Math.max(1, reclaims.size());
        }

        @Override
        void names(Names.Used used) {
            reclaims.forEach(reclaim -> used.actor(reclaim.actor()));
        }

        @Override
        String what() {
            return "taking back " + reclaims.size() + " jobs";
        }
    }

    static final class Claim extends Operation<Claimed> {
        final ClaimRequest request;

        Claim(ClaimRequest request) {
            this.request = request;
        }

        Claim(Taker taker) {
            super(taker.answer());
            this.request = taker.request();
        }

        @Override
        int weight() {
            return request.limit();
        }

        @Override
        void names(Names.Used used) {
            used.worker(request.worker());
        }

        @Override
        String what() {
            return "claiming for worker " + request.worker().name();
        }
    }

    /** A change of what is said of a queue or a type. */
    static final class Govern extends Operation<Control> {
        final ControlChange change;

        Govern(ControlChange change) {
            this.change = change;
        }

        @Override
        void names(Names.Used used) {
            used.actor(change.actor());
        }

        @Override
        String what() {
            return "changing what is said of " + change.scope();
        }
    }

    /** Gives places to jobs in line for these keys, and takes places back; false: not all that is ready obeys yet. */
    static final class Arrange extends Operation<Boolean> {
        final List<String> keys;
        /** Whether something else is said of them, so that what is ready already has to obey. */
        final boolean said;
        /** How often this was tried before. */
        final int tries;

        Arrange(Collection<String> keys, boolean said, int tries) {
            this.keys = List.copyOf(keys);
            this.said = said;
            this.tries = tries;
        }

        /** It may come from the line's own thread. */
        @Override
        boolean waitsForRoom() {
            return false;
        }

        @Override
        int weight() {
            return keys.size();
        }

        @Override
        String what() {
            return "arranging " + keys.size() + " concurrency keys";
        }
    }

    /** Goes on with the children that ended parents have left. */
    static final class Release extends Operation<Void> {
        final List<Long> parents;

        Release(Collection<Long> parents) {
            this.parents = List.copyOf(parents);
        }

        /** It may come from the line's own thread. */
        @Override
        boolean waitsForRoom() {
            return false;
        }

        @Override
        int weight() {
            return Dependents.PART;
        }

        @Override
        String what() {
            return "going on with the children of " + parents.size() + " jobs";
        }
    }

    /** A write of blobs; answers a number. */
    static final class Keep extends Operation<Long> {
        /** What is written. */
        interface Step {
            long write(PostgresTransaction tx) throws SQLException;
        }

        /** As many bytes take as long to write as a row of a job does. */
        private static final int BYTES_OF_A_ROW = 1024;

        final Step step;
        private final int bytes;
        private final String what;

        Keep(String what, int bytes, Step step) {
            this.what = what;
            this.bytes = bytes;
            this.step = step;
        }

        @Override
        int weight() {
            return 1 + bytes / BYTES_OF_A_ROW;
        }

        @Override
        String what() {
            return what;
        }
    }

    /** A change of a schedule, or what some that are due do. */
    static final class Timetable<T> extends Operation<T> {
        /** What is written. */
        interface Work<T> {
            T write(PostgresTransaction tx) throws SQLException;
        }

        /** The schedule whose row it locks, and waits for if need be; null if it skips what is locked. */
        final @Nullable String schedule;
        /** How many ids it may need. */
        final int idsNeeded;

        private final Work<T> work;
        private final String what;
        private final Consumer<Names.Used> names;

        Timetable(String what, @Nullable String schedule, int idsNeeded, Consumer<Names.Used> names, Work<T> work) {
            this.what = what;
            this.schedule = schedule;
            this.idsNeeded = idsNeeded;
            this.names = names;
            this.work = work;
        }

        void run(PostgresTransaction tx) throws SQLException {
            answer(work.write(tx));
        }

        @Override
        int weight() {
            return Math.max(1, idsNeeded);
        }

        @Override
        void names(Names.Used used) {
            names.accept(used);
        }

        @Override
        String what() {
            return what;
        }
    }

    /** What keeps the store in order: retention, duties. */
    static final class Tend<T> extends Operation<T> {
        /** What is written. */
        interface Tending<T> {
            T write(PostgresTransaction tx) throws SQLException;
        }

        private final Tending<T> work;
        private final int jobs;
        private final String what;
        private final @Nullable String actor;

        Tend(String what, int jobs, @Nullable String actor, Tending<T> work) {
            this.what = what;
            this.jobs = jobs;
            this.actor = actor;
            this.work = work;
        }

        void run(PostgresTransaction tx) throws SQLException {
            answer(work.write(tx));
        }

        @Override
        int weight() {
            return Math.max(1, jobs);
        }

        @Override
        void names(Names.Used used) {
            if (actor != null) {
                used.actor(actor);
            }
        }

        @Override
        String what() {
            return what;
        }
    }

    /** A change of the registry, or a write without a purpose. */
    static final class Registry extends Operation<Void> {
        /** What is written. */
        interface Entry {
            void write(PostgresTransaction tx) throws SQLException;
        }

        final Entry entry;
        private final Consumer<Names.Used> names;

        Registry(Entry entry) {
            this(entry, used -> {});
        }

        Registry(Entry entry, Consumer<Names.Used> names) {
            this.entry = entry;
            this.names = names;
        }

        @Override
        void names(Names.Used used) {
            names.accept(used);
        }

        @Override
        boolean waitsForRoom() {
            return false;
        }

        @Override
        String what() {
            return "keeping the registry of workers";
        }
    }
}
