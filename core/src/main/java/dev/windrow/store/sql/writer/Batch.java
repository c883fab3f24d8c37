package dev.windrow.store.sql.writer;

import dev.windrow.store.Command;
import dev.windrow.store.Command.Phase;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Release;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.step.Signal;
import dev.windrow.store.step.StepAnswer;
import dev.windrow.store.step.StepWrite;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The commands of one transaction, applied in the order of their {@linkplain Phase phases}. Commands about attempts, renewals, releases, new jobs and
 * claims are applied together, all others one by one. Used by one thread; other threads may read it under the lock of the store's queue.
 */
public final class Batch {
    private final List<Submission<?>> all = new ArrayList<>();
    private final Map<Phase, List<Submission<?>>> phases = new EnumMap<>(Phase.class);
    private int weight;

    /** Creates an empty batch. */
    public Batch() {}

    /** Adds a command. */
    public void add(Submission<?> submission) {
        all.add(submission);
        weight += submission.weight();
        phases.computeIfAbsent(submission.command().phase(), phase -> new ArrayList<>())
                .add(submission);
    }

    /** Returns all commands, in the order in which they came. */
    public List<Submission<?>> submissions() {
        return all;
    }

    /** Drops the commands that have ended, and these. */
    public void drop(Collection<? extends Submission<?>> dropped) {
        Set<Submission<?>> gone = new HashSet<>(dropped);
        if (all.removeIf(submission -> submission.isEnded() || gone.contains(submission))) {
            List<Submission<?>> rest = List.copyOf(all);
            phases.clear();
            all.clear();
            weight = 0;
            rest.forEach(this::add);
        }
    }

    /** Returns the approximate number of rows. */
    public int weight() {
        return weight;
    }

    /** True if it has no command. */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** True if it only claims. Then it writes only if there is a job to claim. */
    public boolean onlyClaims() {
        return phase(Phase.CLAIM).size() == all.size();
    }

    /** True if it has a command of this class. */
    public boolean has(Class<?> type) {
        return all.stream().anyMatch(submission -> submission.is(type));
    }

    private List<Submission<?>> phase(Phase phase) {
        return phases.getOrDefault(phase, Collections.emptyList());
    }

    /** Returns the commands of a phase that has only this class of commands. */
    @SuppressWarnings("unchecked") // a phase of one class
    private <T extends @Nullable Object> List<Submission<T>> of(Phase phase, Class<? extends Command<T>> type) {
        assert phase(phase).stream().allMatch(submission -> submission.is(type));
        return (List<Submission<T>>) (List<?>) phase(phase);
    }

    /** The source of waiting claims of workers for jobs that become ready. The claims are added to the batch. */
    public interface Takers {
        /** The source without claims. */
        Takers NONE = (queue, type) -> {};

        /** Asks for a claim of jobs of this lane. */
        void ask(String queue, String type);
    }

    /** The rules by which a store applies the commands of a batch in an open transaction. */
    public interface Rules {
        /** Records the starts of attempts. */
        void start(List<Started> starts) throws SQLException;

        /** Records the reports and the durable steps of attempts; sets the result of each. */
        void report(List<Submission<Boolean>> reports, List<Submission<Optional<StepAnswer>>> steps)
                throws SQLException;

        /** Refuses the next job of a chain, if it is not possible. */
        void checkNext(JobRow next) throws SQLException;

        /** Ends attempts; returns true for each that was ended. */
        boolean[] settle(List<Settle> ends) throws SQLException;

        /** Renews leases; returns the claims that were lost. */
        List<LeaseToken> renew(Renew renew) throws SQLException;

        /** Applies a command; returns its result. */
        <T extends @Nullable Object> T apply(Submission<T> submission) throws SQLException;

        /** Releases or cancels the next children of these parents. */
        void release(Set<Long> parents) throws SQLException;

        /** Makes due jobs ready. */
        void promote() throws SQLException;

        /** Writes new jobs, some of which the claims may take at once; sets the result of each. */
        void enqueue(List<Submission<List<EnqueuedJob>>> enqueues, List<Submission<Claimed>> claims)
                throws SQLException;

        /** Grants the permits of concurrency keys that this transaction has freed. */
        void admit() throws SQLException;

        /** Asks for claims of the lanes in which jobs have become ready. */
        void askForReady(Takers waitingClaims) throws SQLException;

        /** Claims jobs. */
        Claimed claim(Submission<Claimed> claim) throws SQLException;
    }

    /** Applies all commands. An exception means that the transaction must be rolled back. */
    public void apply(Rules to, Takers waitingClaims) throws SQLException {
        attempts(to);
        for (Submission<List<LeaseToken>> renew : of(Phase.RENEW, Renew.class)) {
            renew.answer(to.renew((Renew) renew.command()));
        }
        oneByOne(to, Phase.CHANGE);
        // Ordered by the rows that they lock, so that two processes do not wait for each other.
        phase(Phase.SIGNAL).sort(Comparator.comparingLong(signal -> ((Signal) signal.command()).job()));
        phase(Phase.SCHEDULE)
                .sort(Comparator.comparing(Batch::schedule, Comparator.nullsLast(Comparator.naturalOrder())));
        oneByOne(to, Phase.SIGNAL);
        for (Submission<List<Orphan>> reclaim : of(Phase.RECLAIM, Reclaim.class)) {
            boolean isTooOld = reclaim.isOlderThan(((Reclaim) reclaim.command()).withinMillis());
            reclaim.answer(isTooOld ? List.of() : to.apply(reclaim));
        }
        oneByOne(to, Phase.REGISTRY);
        oneByOne(to, Phase.LIMIT);
        oneByOne(to, Phase.ADMIT);
        oneByOne(to, Phase.SCHEDULE);
        release(to);
        oneByOne(to, Phase.BLOB);
        oneByOne(to, Phase.UPKEEP);
        askForNew(waitingClaims);
        List<Submission<Claimed>> claims = of(Phase.CLAIM, Claim.class);
        boolean promoted = !claims.isEmpty();
        if (promoted) {
            to.promote();
        }
        to.enqueue(of(Phase.ENQUEUE, Enqueue.class), claims);
        to.admit();
        to.askForReady(waitingClaims);
        // A waiting claim may have joined.
        claims = of(Phase.CLAIM, Claim.class);
        if (!claims.isEmpty() && !promoted) {
            to.promote();
            to.admit();
        }
        for (Submission<Claimed> claim : claims) {
            claim.answer(to.claim(claim));
        }
    }

    /** Applies the commands of attempts: their starts, reports, steps and ends. */
    private void attempts(Rules to) throws SQLException {
        List<Submission<Boolean>> reports = of(Phase.REPORT, Report.class);
        to.start(phase(Phase.START).stream()
                .map(start -> (Started) start.command())
                .toList());
        to.report(reports, of(Phase.STEP, StepWrite.class));
        List<Submission<Boolean>> suitable = suitable(to, of(Phase.SETTLE, Settle.class));
        if (!suitable.isEmpty()) {
            boolean[] applied = to.settle(
                    suitable.stream().map(settle -> (Settle) settle.command()).toList());
            for (int i = 0; i < applied.length; i++) {
                suitable.get(i).answer(applied[i]);
            }
        }
    }

    /** Returns all settlements except the ones whose next job is refused, before any of them writes. */
    private static List<Submission<Boolean>> suitable(Rules to, List<Submission<Boolean>> settles) throws SQLException {
        boolean all = true;
        for (Submission<Boolean> settle : settles) {
            JobRow next = ((Settle) settle.command()).next();
            if (next != null) {
                settle.unlessRefused(() -> to.checkNext(next));
                all &= !settle.isRefused();
            }
        }
        return all
                ? settles
                : settles.stream().filter(settle -> !settle.isRefused()).toList();
    }

    /** Returns the schedule whose row a command locks, with a wait if need be; null if the command skips locked rows. */
    private static @Nullable String schedule(Submission<?> submission) {
        return submission.command() instanceof ScheduleChange change ? change.name() : null;
    }

    private void oneByOne(Rules to, Phase phase) throws SQLException {
        for (Submission<?> submission : phase(phase)) {
            apply(to, submission);
        }
    }

    private static <T extends @Nullable Object> void apply(Rules to, Submission<T> submission) throws SQLException {
        try {
            submission.answer(to.apply(submission));
        } catch (Refused e) {
            submission.refuse(e.reason());
        }
    }

    /** Releases once for each parent, however many commands name it. */
    private void release(Rules to) throws SQLException {
        List<Submission<?>> releases = phase(Phase.RELEASE);
        if (!releases.isEmpty()) {
            Set<Long> parents = new TreeSet<>();
            releases.forEach(release -> parents.addAll(((Release) release.command()).parents()));
            to.release(parents);
        }
    }

    private void askForNew(Takers waitingClaims) {
        JobRow last = null;
        for (Submission<?> submission : List.copyOf(phase(Phase.ENQUEUE))) {
            Enqueue enqueue = (Enqueue) submission.command();
            if (enqueue.hasKeys()) {
                continue; // asked for after its keys are resolved
            }
            for (JobRow row : enqueue.jobs()) {
                if (last == null
                        || !last.type().equals(row.type())
                        || !last.queue().equals(row.queue())) {
                    last = row;
                    if (row.parents().isEmpty()
                            && row.runAtMillis() == null
                            && row.delayMillis() == null
                            && row.waitMillis() == null) {
                        waitingClaims.ask(row.queue(), row.type());
                    }
                }
            }
        }
    }
}
