package dev.windrow.postgres;

import dev.windrow.JobState;
import dev.windrow.WindrowException;
import dev.windrow.store.Claimed;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.Hold;
import dev.windrow.store.JobRow;
import dev.windrow.store.Settlement;
import dev.windrow.store.Started;
import dev.windrow.store.sql.Controls;
import dev.windrow.store.sql.Reports;
import dev.windrow.store.sql.Steps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one transaction, sorted by kind and applied in a fixed order: starts, what attempts report, their durable steps, and
 * settlements, which free what they hold, first; then renewals, changes, signals, reclaims, what is said of queues and types, schedules, children that are left, blobs, what has ended long ago, promotions and new
 * jobs, and last the claims, which see all of it.
 */
final class Batch {
    /** How often a row that somebody else has locked is renewed, 5 ms apart. */
    private static final int TRIES = 3;

    private final List<Operation<?>> all = new ArrayList<>();
    private final List<Operation.Start> starts = new ArrayList<>();
    private final List<Operation.Tell> reports = new ArrayList<>();
    private final List<Operation.Step> steps = new ArrayList<>();
    private final List<Operation.Settle> settles = new ArrayList<>();
    private final List<Operation.Renew> renews = new ArrayList<>();
    private final List<Operation.Modify> changes = new ArrayList<>();
    private final List<Operation.Tidings> signals = new ArrayList<>();
    private final List<Operation.Enqueue> enqueues = new ArrayList<>();
    private final List<Operation.TakeBack> reclaims = new ArrayList<>();
    private final List<Operation.Registry> registry = new ArrayList<>();
    private final List<Operation.Govern> controls = new ArrayList<>();
    private final List<Operation.Arrange> arranges = new ArrayList<>();
    private final List<Operation.Timetable<?>> schedules = new ArrayList<>();
    private final List<Operation.Release> releases = new ArrayList<>();
    private final List<Operation.Keep> blobs = new ArrayList<>();
    private final List<Operation.Tend<?>> tends = new ArrayList<>();
    private final List<Operation.Claim> claims = new ArrayList<>();
    private int weight;

    void add(Operation<?> operation) {
        all.add(operation);
        weight += operation.weight();
        if (operation instanceof Operation.Settle settle) {
            settles.add(settle);
        } else if (operation instanceof Operation.Start start) {
            starts.add(start);
        } else if (operation instanceof Operation.Tell report) {
            reports.add(report);
        } else if (operation instanceof Operation.Step step) {
            steps.add(step);
        } else if (operation instanceof Operation.Tidings signal) {
            signals.add(signal);
        } else if (operation instanceof Operation.Enqueue enqueue) {
            enqueues.add(enqueue);
        } else if (operation instanceof Operation.Claim claim) {
            claims.add(claim);
        } else if (operation instanceof Operation.Renew renew) {
            renews.add(renew);
        } else if (operation instanceof Operation.Modify change) {
            changes.add(change);
        } else if (operation instanceof Operation.TakeBack reclaim) {
            reclaims.add(reclaim);
        } else if (operation instanceof Operation.Registry entry) {
            registry.add(entry);
        } else if (operation instanceof Operation.Govern govern) {
            controls.add(govern);
        } else if (operation instanceof Operation.Arrange arrange) {
            arranges.add(arrange);
        } else if (operation instanceof Operation.Timetable<?> timetable) {
            schedules.add(timetable);
        } else if (operation instanceof Operation.Release release) {
            releases.add(release);
        } else if (operation instanceof Operation.Keep keep) {
            blobs.add(keep);
        } else if (operation instanceof Operation.Tend<?> tend) {
            tends.add(tend);
        }
    }

    List<Operation<?>> operations() {
        return all;
    }

    /** Drops the operations that have ended, and those that are named. */
    void drop(Collection<? extends Operation<?>> dropped) {
        Set<Operation<?>> gone = new HashSet<>(dropped);
        if (all.removeIf(operation -> operation.isEnded() || gone.contains(operation))) {
            List<Operation<?>> rest = List.copyOf(all);
            for (List<? extends Operation<?>> kind : List.of(
                    starts, reports, steps, settles, renews, changes, signals, enqueues, reclaims, registry, controls,
                    arranges, schedules, releases, blobs, tends, claims)) {
                kind.clear();
            }
            all.clear();
            weight = 0;
            rest.forEach(this::add);
        }
    }

    /** How often one of these keys was tried to be arranged before. */
    int tries(Set<String> keys) {
        int tries = 0;
        for (Operation.Arrange arrange : arranges) {
            if (arrange.keys.stream().anyMatch(keys::contains)) {
                tries = Math.max(tries, arrange.tries);
            }
        }
        return tries;
    }

    /** How many rows it concerns, roughly. */
    int weight() {
        return weight;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Whether it claims and does nothing else: then it writes only if there is something to claim. */
    boolean onlyClaims() {
        return claims.size() == all.size();
    }

    /** True if there are claims. */
    boolean claims() {
        return !claims.isEmpty();
    }

    /** Whether there are new jobs. */
    boolean enqueues() {
        return !enqueues.isEmpty();
    }

    /** How many ids the new jobs and workflows need. */
    int newIds() {
        int jobs = 0;
        for (Operation.Enqueue enqueue : enqueues) {
            jobs += enqueue.idsNeeded;
        }
        for (Operation.Settle settle : settles) {
            jobs += settle.settlement.next() == null ? 0 : 1;
        }
        for (Operation.Modify change : changes) {
            jobs += change.change.next() == null ? 0 : 1;
        }
        for (Operation.Timetable<?> timetable : schedules) {
            jobs += timetable.idsNeeded;
        }
        return jobs;
    }

    void names(Names.Used used) {
        all.forEach(operation -> operation.names(used));
    }

    /** Asks who would take jobs of a lane that are about to be ready. What comes of it is added to the batch. */
    interface Takers {
        /** Nobody. */
        Takers NONE = (queue, type) -> {};

        void ask(String queue, String type);
    }

    /**
     * Runs everything inside the open transaction. An exception means that all of it must be rolled back.
     *
     * @param marks whether its claims move the marks
     */
    void apply(PostgresTransaction tx, Minutes minutes, Takers takers, boolean marks) throws SQLException {
        settle(tx, minutes);
        renew(tx);
        change(tx);
        for (Operation.TakeBack reclaim : reclaims) {
            reclaim.answer(reclaim.isTooLate() ? List.of() : Reclaims.reclaim(tx, reclaim.reclaims));
        }
        for (Operation.Registry entry : registry) {
            entry.entry.write(tx);
        }
        for (Operation.Govern govern : controls) {
            govern.answer(Controls.change(tx, govern.change));
        }
        for (Operation.Arrange arrange : arranges) {
            arrange.answer(tx.turns.arrange(arrange.keys, arrange.said));
        }
        // Locked in the order of names, and before those that skip what is locked.
        schedules.sort(
                Comparator.comparing(timetable -> timetable.schedule, Comparator.nullsLast(Comparator.naturalOrder())));
        for (Operation.Timetable<?> timetable : schedules) {
            unlessRefused(timetable, () -> timetable.run(tx));
        }
        release(tx);
        for (Operation.Keep keep : blobs) {
            keep.answer(keep.step.write(tx));
        }
        for (Operation.Tend<?> tend : tends) {
            tend.run(tx);
        }
        askForNew(takers);
        boolean promoted = !claims.isEmpty();
        if (promoted) {
            Claims.promote(tx);
        }
        HandOff handOff = enqueue(tx);
        tx.turns.arrange();
        tx.openFreed();
        for (Names.Lane lane : tx.readyLanes()) {
            takers.ask(lane.queue(), lane.type());
        }
        if (!claims.isEmpty()) {
            if (!promoted) {
                Claims.promote(tx);
            }
            for (Operation.Claim claim : claims) {
                Claimed given = handOff.answer(tx, claim);
                claim.answer(given != null ? given : Claims.claim(tx, claim.request, marks));
            }
        }
    }

    private void change(PostgresTransaction tx) throws SQLException {
        for (Operation.Modify change : changes) {
            Changes.Checked checked;
            try {
                checked = Changes.check(tx, change.change, change.ids, change.strict, change.leavesOutLocked());
            } catch (WindrowException e) {
                change.refuse(e);
                continue;
            }
            change.answer(Changes.apply(tx, checked));
        }
        // In the order of the jobs, which they lock: two processes that tell the same ones do not wait for each other.
        signals.sort(Comparator.comparingLong(signal -> signal.signal.job()));
        for (Operation.Tidings signal : signals) {
            unlessRefused(signal, () -> signal.answer(Steps.signal(tx, signal.signal)));
        }
    }

    /** Once for each parent, however many ask for it. */
    private void release(PostgresTransaction tx) throws SQLException {
        if (!releases.isEmpty()) {
            Set<Long> parents = new HashSet<>();
            releases.forEach(release -> parents.addAll(release.parents));
            tx.dependents.goOn(parents);
        }
    }

    private void askForNew(Takers takers) {
        Names.@Nullable Lane last = null;
        for (Operation.Enqueue enqueue : enqueues) {
            if (enqueue.hasKeys) {
                continue; // asked for when it is known what became of it
            }
            for (JobRow row : enqueue.rows) {
                if (last == null
                        || !last.type().equals(row.type())
                        || !last.queue().equals(row.queue())) {
                    last = new Names.Lane(row.queue(), row.type());
                    if (row.parents().isEmpty()
                            && row.runAtMillis() == null
                            && row.delayMillis() == null
                            && row.waitMillis() == null) {
                        takers.ask(row.queue(), row.type());
                    }
                }
            }
        }
    }

    private void settle(PostgresTransaction tx, Minutes minutes) throws SQLException {
        Set<Hold> ending = new HashSet<>();
        if (!starts.isEmpty()) {
            settles.forEach(settle -> ending.add(settle.settlement.job().hold()));
            // What an attempt tells of itself comes between its start and its end in the event log.
            reports.forEach(report -> ending.remove(report.report.hold()));
        }
        List<Started> running = new ArrayList<>();
        Set<Hold> starting = new HashSet<>();
        for (Operation.Start start : starts) {
            if (ending.contains(start.started.hold())) {
                starting.add(start.started.hold());
            } else {
                running.add(start.started);
            }
        }
        Settles.started(tx, running);
        report(tx);
        List<Operation.Settle> suitable = suitable(tx);
        if (suitable.isEmpty()) {
            return;
        }
        List<Settlement> settlements = new ArrayList<>(suitable.size());
        suitable.forEach(settle -> settlements.add(settle.settlement));
        boolean[] applied = Settles.settle(tx, minutes, settlements, starting);
        for (int i = 0; i < applied.length; i++) {
            suitable.get(i).answer(applied[i]);
        }
    }

    /** All but those whose next job is refused, which is found before anything of them is written. */
    private List<Operation.Settle> suitable(PostgresTransaction tx) throws SQLException {
        boolean all = true;
        for (Operation.Settle settle : settles) {
            JobRow next = settle.settlement.next();
            if (next != null && Enqueues.areChecked(List.of(next))) {
                unlessRefused(settle, () -> Enqueues.check(tx, List.of(next)));
                all &= !settle.isRefused();
            }
        }
        return all
                ? settles
                : settles.stream().filter(settle -> !settle.isRefused()).toList();
    }

    private void report(PostgresTransaction tx) throws SQLException {
        if (reports.isEmpty() && steps.isEmpty()) {
            return;
        }
        Set<Hold> holds = new LinkedHashSet<>();
        reports.forEach(report -> holds.add(report.report.hold()));
        steps.forEach(step -> holds.add(step.step.hold()));
        Set<Hold> held = Settles.held(tx, List.copyOf(holds));
        for (Operation.Tell report : reports) {
            boolean isHeld = held.contains(report.report.hold());
            if (isHeld) {
                Reports.report(tx, report.report);
            }
            report.answer(isHeld);
        }
        for (Operation.Step step : steps) {
            if (held.contains(step.step.hold())) {
                unlessRefused(step, () -> step.answer(Optional.of(Steps.write(tx, step.step))));
            } else {
                step.answer(Optional.empty());
            }
        }
    }

    private void renew(PostgresTransaction tx) throws SQLException {
        for (Operation.Renew renew : renews) {
            List<Hold> missing = renewed(tx, renew.holds, renew.leaseMillis);
            Set<Hold> locked = locked(tx, missing);
            for (int tries = 1; tries < TRIES && !locked.isEmpty(); tries++) {
                // Somebody looks whether it is free, as a rule: not a reason to let a lease run out.
                tx.statements().get(Sql.WAIT_A_MOMENT).one();
                missing = renewed(tx, missing, renew.leaseMillis);
                locked = locked(tx, missing);
            }
            // A row that somebody has locked is not renewed now, and not lost: while it is locked nobody takes it back.
            Set<Hold> held = locked;
            renew.answer(missing.stream().filter(hold -> !held.contains(hold)).toList());
        }
    }

    /** Those that it was not allowed to renew. */
    private static List<Hold> renewed(PostgresTransaction tx, List<Hold> holds, long leaseMillis) throws SQLException {
        if (holds.isEmpty()) {
            return List.of();
        }
        Set<Hold> renewed = Settles.holds(holds(tx, Sql.RENEW, holds).set(3, tx.now() + leaseMillis));
        tx.wrote();
        return holds.stream().filter(hold -> !renewed.contains(hold)).toList();
    }

    /** Those that run, and that somebody else has locked. */
    private static Set<Hold> locked(PostgresTransaction tx, List<Hold> holds) throws SQLException {
        return holds.isEmpty() ? Set.of() : Settles.holds(holds(tx, Sql.HELD, holds));
    }

    private static PostgresQuery holds(PostgresTransaction tx, String sql, List<Hold> holds) throws SQLException {
        return tx.statements()
                .get(sql)
                .ids(1, holds.stream().map(Hold::id).toList())
                .ids(2, holds.stream().map(Hold::token).toList());
    }

    private HandOff enqueue(PostgresTransaction tx) throws SQLException {
        if (enqueues.isEmpty()) {
            return HandOff.NONE;
        }
        Enqueues rows = new Enqueues(tx);
        enqueueKeyed(tx, rows);
        // Whose turn has come is there when the hand-off looks.
        tx.turns.arrange();
        Set<Integer> lanes = new HashSet<>();
        enqueues.forEach(enqueue -> enqueue.rows.forEach(row -> lanes.add(tx.names.lane(row.queue(), row.type()))));
        HandOff handOff = HandOff.to(tx, claims, lanes);
        // Jobs without parents first, written before the others look for theirs. What may be refused comes after them.
        for (Operation.Enqueue enqueue : enqueues) {
            if (!enqueue.hasKeys && !enqueue.isChecked) {
                add(rows, enqueue, Map.of());
            }
        }
        rows.flush(handOff);
        for (Operation.Enqueue enqueue : enqueues) {
            if (!enqueue.hasKeys && enqueue.isChecked) {
                unlessRefused(enqueue, () -> {
                    answer(enqueue, WorkflowEnqueues.add(tx, rows, enqueue.rows, Enqueues.check(tx, enqueue.rows)));
                    rows.flush(handOff);
                });
            }
        }
        return handOff;
    }

    /** Those with dedupe keys: what shares a transaction shares the looks at the keys. */
    private void enqueueKeyed(PostgresTransaction tx, Enqueues rows) throws SQLException {
        List<Operation.Enqueue> free = new ArrayList<>();
        List<JobRow> jobs = new ArrayList<>();
        for (Operation.Enqueue enqueue : enqueues) {
            if (enqueue.hasKeys && enqueue.isChecked) {
                unlessRefused(
                        enqueue,
                        () -> answer(
                                enqueue,
                                WorkflowEnqueues.add(tx, rows, enqueue.rows, Enqueues.check(tx, enqueue.rows))));
            } else if (enqueue.hasKeys) {
                free.add(enqueue);
                jobs.addAll(enqueue.rows);
            }
        }
        if (jobs.isEmpty()) {
            rows.flush(HandOff.NONE);
            return;
        }
        List<EnqueuedJob> answers = KeyedEnqueues.add(tx, rows, jobs, Map.of());
        int at = 0;
        for (Operation.Enqueue enqueue : free) {
            answer(enqueue, List.copyOf(answers.subList(at, at + enqueue.rows.size())));
            at += enqueue.rows.size();
        }
        rows.flush(HandOff.NONE);
    }

    private static void add(Enqueues rows, Operation.Enqueue enqueue, Map<Long, JobState> parents) throws SQLException {
        answer(enqueue, rows.add(enqueue.rows, parents));
    }

    private static void answer(Operation.Enqueue enqueue, List<EnqueuedJob> answers) {
        enqueue.ids(answers);
        enqueue.answer(answers);
    }

    private interface Verb {
        void run() throws SQLException;
    }

    /** A verb checks before it writes: what it refuses concerns nobody else in the transaction. */
    private static void unlessRefused(Operation<?> operation, Verb verb) throws SQLException {
        try {
            verb.run();
        } catch (WindrowException e) {
            operation.refuse(e);
        }
    }

    /**
     * The operations whose rows, or whose children's, another transaction holds, and those that look for a cycle while another transaction does.
     * The other rows are ours from now on, to the end of the transaction.
     */
    List<Operation<?>> busy(PostgresTransaction tx) throws SQLException {
        PostgresStatements statements = tx.statements();
        Map<Long, Long> children = new java.util.HashMap<>();
        Set<Long> wanted = new HashSet<>();
        Set<Long> ending = new HashSet<>();
        for (Operation<?> operation : all) {
            Long job = operation.job();
            if (job != null) {
                wanted.add(job);
                if (operation.endsJob()) {
                    ending.add(job);
                }
            }
        }
        Set<Long> busy = lock(statements, wanted);
        try (ResultSet rows = statements
                .get(Sql.WAITING_CHILDREN)
                .ids(1, ending)
                .set(2, Integer.valueOf(Dependents.PART))
                .rows()) {
            while (rows.next()) {
                children.put(rows.getLong(2), rows.getLong(1));
            }
        }
        for (long child : lock(statements, children.keySet())) {
            busy.add(children.get(child));
        }
        tx.chains
                .keptWaiting(settles.stream().map(settle -> settle.settlement).toList())
                .forEach(settlement -> busy.add(settlement.job().id()));
        return all.stream()
                .filter(operation -> operation.job() != null && busy.contains(operation.job()))
                .toList();
    }

    /** Locks what is free; answers what is not. */
    static Set<Long> lock(PostgresStatements statements, Set<Long> ids) throws SQLException {
        Set<Long> busy = new HashSet<>(ids);
        if (!ids.isEmpty()) {
            try (ResultSet rows = statements.get(Sql.FREE).ids(1, ids).rows()) {
                while (rows.next()) {
                    busy.remove(rows.getLong(1));
                }
            }
        }
        return busy;
    }
}
