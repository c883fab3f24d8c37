package dev.windrow.sqlite;

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
import dev.windrow.store.Expiry;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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

    /**
     * Whether its commit alone may answer it once it has begun. Whoever was told that the outcome is unknown could not know what it
     * has taken.
     */
    boolean waitsForCommit() {
        return false;
    }

    /** Whether it only keeps workers alive: it leaves so little in the log that this need not be cut behind it. */
    boolean isSignOfLife() {
        return false;
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
                "%s was not begun within %s and was withdrawn: %s".formatted(what(), timeout, why)));
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
        boolean isSignOfLife() {
            return true;
        }

        @Override
        String what() {
            return "renewing " + holds.size() + " leases";
        }
    }

    static final class Modify extends Operation<ChangeResult> {
        final Change change;
        final List<Long> ids;
        final boolean strict;

        Modify(Change change, List<Long> ids, boolean strict) {
            this.change = change;
            this.ids = ids;
            this.strict = strict;
        }

        @Override
        int weight() {
            return Math.max(1, ids.size());
        }

        @Override
        String what() {
            return "changing jobs (" + change.verb() + ")";
        }
    }

    static final class Enqueue extends Operation<List<EnqueuedJob>> {
        final List<JobRow> rows;
        private final int weight;
        final boolean hasKeys;
        /** Whether it may be refused for what it refers to. */
        final boolean isChecked;

        private volatile List<Long> ids = List.of();

        Enqueue(List<JobRow> rows) {
            this.rows = rows;
            this.weight = Weight.of(rows);
            this.hasKeys = Enqueues.withKeys(rows);
            this.isChecked = Enqueues.areChecked(rows);
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

        @Override
        int weight() {
            return Math.max(1, reclaims.size());
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

        /** Nobody else would run the jobs that it takes, until their leases run out. */
        @Override
        boolean waitsForCommit() {
            return true;
        }

        /** If it finds something, that is started, settled and renewed. */
        @Override
        boolean isSignOfLife() {
            return true;
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
        String what() {
            return "changing what is said of " + change.scope();
        }
    }

    /** Goes on with the children that ended parents have left. */
    static final class Release extends Operation<Void> {
        final List<Long> parents;

        Release(Collection<Long> parents) {
            this.parents = List.copyOf(parents);
        }

        /** It may come from the writer's own thread. */
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
            long write(SqliteTransaction tx) throws SQLException;
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

    /** Waits for a turn that the writer lends to a caller's thread; answered when that has it, and writes nothing itself. */
    static final class Lend extends Operation<Void> {
        /** Who has the turn, for messages. */
        final String borrower;

        private final CountDownLatch returned = new CountDownLatch(1);

        Lend(String borrower) {
            this.borrower = borrower;
        }

        /** Has no need of the turn any more; called in any case, also by one that gave up before it came. */
        void giveBack() {
            returned.countDown();
        }

        boolean isReturned() {
            return returned.getCount() == 0;
        }

        /** Waits until it is given back, however long that takes. */
        void awaitReturn() {
            boolean interrupted = false;
            while (!isReturned()) {
                try {
                    returned.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        boolean waitsForRoom() {
            return false;
        }

        @Override
        String what() {
            return "a transaction";
        }
    }

    /** A change of a schedule, or what some that are due do. */
    static final class Timetable<T> extends Operation<T> {
        /** What is written. */
        interface Work<T> {
            T write(SqliteTransaction tx) throws SQLException;
        }

        private final Work<T> work;
        private final int jobs;
        /** How many ids and event numbers it may need. */
        final int idsNeeded;

        private final String what;

        Timetable(String what, int jobs, int idsNeeded, Work<T> work) {
            this.what = what;
            this.jobs = jobs;
            this.idsNeeded = idsNeeded;
            this.work = work;
        }

        void run(SqliteTransaction tx) throws SQLException {
            answer(work.write(tx));
        }

        @Override
        int weight() {
            return Math.max(1, jobs);
        }

        @Override
        String what() {
            return what;
        }
    }

    /** What keeps the store in order: retention, duties, space. */
    static non-sealed class Tend<T> extends Operation<T> {
        /** What is written. */
        interface Tending<T> {
            T write(SqliteTransaction tx) throws SQLException;
        }

        private final Tending<T> work;
        private final int jobs;
        private final String what;

        Tend(String what, int jobs, Tending<T> work) {
            this.what = what;
            this.jobs = jobs;
            this.work = work;
        }

        void run(SqliteTransaction tx) throws SQLException {
            answer(work.write(tx));
        }

        @Override
        int weight() {
            return Math.max(1, jobs);
        }

        @Override
        String what() {
            return what;
        }
    }

    /** The deletion of old jobs, which writes many pages. */
    static final class Expire extends Tend<Expiry.Done> {
        Expire(int jobs, Tending<Expiry.Done> work) {
            super("deleting old jobs", jobs, work);
        }
    }

    /** A change of the registry, or a write without a purpose. */
    static final class Registry extends Operation<Void> {
        /** What is written. */
        interface Entry {
            void write(SqliteTransaction tx) throws SQLException;
        }

        final Entry entry;

        Registry(Entry entry) {
            this.entry = entry;
        }

        @Override
        boolean waitsForRoom() {
            return false;
        }

        @Override
        boolean isSignOfLife() {
            return true;
        }

        @Override
        String what() {
            return "keeping the registry of workers";
        }
    }
}
