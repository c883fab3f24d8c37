package dev.windrow.sqlite;

import dev.windrow.JobState;
import dev.windrow.WindrowException;
import dev.windrow.store.Claimed;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.Hold;
import dev.windrow.store.JobRow;
import dev.windrow.store.Settlement;
import dev.windrow.store.Started;
import dev.windrow.store.sql.Controls;
import dev.windrow.store.sql.Query;
import dev.windrow.store.sql.Reports;
import dev.windrow.store.sql.Steps;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one transaction, sorted by kind and applied in a fixed order: starts, what attempts report, their durable steps, and
 * settlements, which free what they hold, first; then renewals, so that a lease that was renewed in time is never taken back; then changes, signals,
 * reclaims, what is said of queues and types, schedules, children that are left, blobs, what has ended long ago, promotions and new jobs, and last the claims, which see all of it.
 */
final class Batch {
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

    /** Drops the operations that have ended. */
    void dropEnded() {
        if (all.removeIf(Operation::isEnded)) {
            List<Operation<?>> rest = List.copyOf(all);
            kinds().forEach(List::clear);
            all.clear();
            weight = 0;
            rest.forEach(this::add);
        }
    }

    private List<List<? extends Operation<?>>> kinds() {
        return List.of(
                starts, reports, steps, settles, renews, changes, signals, enqueues, reclaims, registry, controls,
                schedules, releases, blobs, tends, claims);
    }

    /** Whether it claims and does nothing else: then it writes only if there is something to claim. */
    boolean onlyClaims() {
        return claims.size() == all.size();
    }

    /** Whether it deletes old jobs. */
    boolean expires() {
        return tends.stream().anyMatch(Operation.Expire.class::isInstance);
    }

    /** How many rows it concerns, roughly. */
    int weight() {
        return weight;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** How many ids and event numbers the transaction may need. */
    int ids() {
        int ids = starts.size() + settles.size() * 2 + signals.size() + reports.size() * 2;
        for (Operation.Modify change : changes) {
            ids += Changes.ids(change.change, change.ids.size());
        }
        for (Operation.Enqueue enqueue : enqueues) {
            ids += Enqueues.ids(enqueue.rows);
        }
        for (Operation.TakeBack reclaim : reclaims) {
            ids += Reclaims.ids(reclaim.reclaims.size());
        }
        for (Operation.Claim claim : claims) {
            ids += Math.min(claim.request.limit(), 64);
        }
        for (Operation.Timetable<?> timetable : schedules) {
            ids += timetable.idsNeeded;
        }
        return Math.max(1, ids + releases.size() * Dependents.PART + blobs.size());
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
     * @param others how many other processes use the file
     */
    void apply(SqliteTransaction tx, int others, Takers takers) throws SQLException {
        settle(tx);
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
        HandOff handOff = enqueue(tx, others);
        tx.turns.arrange();
        tx.openFreed();
        for (Names.Lane lane : tx.readyLanes()) {
            takers.ask(lane.queue(), lane.type());
        }
        if (!claims.isEmpty()) {
            if (!promoted) {
                Claims.promote(tx);
                tx.turns.arrange();
            }
            claim(tx, others, handOff);
        }
        tx.flushEvents();
        tx.writeSums();
    }

    /** Once for each parent, however many ask for it. */
    private void release(SqliteTransaction tx) throws SQLException {
        if (!releases.isEmpty()) {
            Set<Long> parents = new TreeSet<>();
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

    private void claim(SqliteTransaction tx, int others, HandOff handOff) throws SQLException {
        Long nextDue = Claims.nextDue(tx);
        for (Operation.Claim claim : claims) {
            Claimed given = handOff.answer(tx, claim, nextDue);
            claim.answer(given != null ? given : Claims.claim(tx, claim.request, others, nextDue));
        }
    }

    private void settle(SqliteTransaction tx) throws SQLException {
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
        for (Operation.Tell report : reports) {
            boolean isHeld = Settles.isHeld(tx, report.report.hold());
            if (isHeld) {
                Reports.report(tx, report.report);
            }
            report.answer(isHeld);
        }
        tx.flushEvents();
        for (Operation.Step step : steps) {
            unlessRefused(step, () -> step.answer(Settles.writeStep(tx, step.step)));
        }
        List<Operation.Settle> suitable = suitable(tx);
        if (suitable.isEmpty()) {
            return;
        }
        List<Settlement> settlements = new ArrayList<>(suitable.size());
        suitable.forEach(settle -> settlements.add(settle.settlement));
        boolean[] applied = Settles.settle(tx, settlements, starting);
        for (int i = 0; i < applied.length; i++) {
            suitable.get(i).answer(applied[i]);
        }
    }

    /** All but those whose next job is refused, which is found before anything of them is written. */
    private List<Operation.Settle> suitable(SqliteTransaction tx) throws SQLException {
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

    private void renew(SqliteTransaction tx) throws SQLException {
        for (Operation.Renew renew : renews) {
            List<Hold> lost = new ArrayList<>();
            if (!renew.holds.isEmpty()) {
                Query update = tx.statements().get(Sql.RENEW);
                for (Hold hold : renew.holds) {
                    update.set(1, hold.id())
                            .set(2, hold.token())
                            .set(3, tx.now() + renew.leaseMillis)
                            .add();
                }
                boolean[] renewed = update.batch();
                for (int i = 0; i < renewed.length; i++) {
                    if (!renewed[i]) {
                        lost.add(renew.holds.get(i));
                    }
                }
            }
            renew.answer(lost);
        }
    }

    private void change(SqliteTransaction tx) throws SQLException {
        for (Operation.Modify change : changes) {
            Changes.Checked checked;
            try {
                checked = Changes.check(tx, change.change, change.ids, change.strict);
            } catch (WindrowException e) {
                change.refuse(e);
                continue;
            }
            change.answer(Changes.apply(tx, checked));
        }
        for (Operation.Tidings signal : signals) {
            unlessRefused(signal, () -> signal.answer(Steps.signal(tx, signal.signal)));
        }
    }

    private HandOff enqueue(SqliteTransaction tx, int others) throws SQLException {
        if (enqueues.isEmpty()) {
            return HandOff.NONE;
        }
        // Jobs with keys first: what becomes of one may depend on another one, and they are there when the hand-off
        // looks.
        for (Operation.Enqueue enqueue : enqueues) {
            if (enqueue.hasKeys) {
                unlessRefused(enqueue, () -> {
                    add(tx, enqueue, Enqueues.check(tx, enqueue.rows));
                    Enqueues.flush(tx, HandOff.NONE);
                });
            }
        }
        // Then jobs without parents, written before the others look for theirs. What may be refused comes after them.
        boolean checked = false;
        for (Operation.Enqueue enqueue : enqueues) {
            if (enqueue.hasKeys) {
                continue;
            }
            if (enqueue.isChecked) {
                checked = true;
            } else {
                add(tx, enqueue, Map.of());
            }
        }
        // Whose turn has come is there when the hand-off looks.
        tx.turns.arrange();
        // After the lanes of the new jobs are known.
        HandOff handOff = HandOff.to(tx, claims, others);
        Enqueues.flush(tx, handOff);
        if (checked) {
            for (Operation.Enqueue enqueue : enqueues) {
                if (!enqueue.hasKeys && enqueue.isChecked) {
                    unlessRefused(enqueue, () -> {
                        add(tx, enqueue, Enqueues.check(tx, enqueue.rows));
                        Enqueues.flush(tx, handOff);
                    });
                }
            }
        }
        return handOff;
    }

    private static void add(SqliteTransaction tx, Operation.Enqueue enqueue, Map<Long, JobState> parents)
            throws SQLException {
        List<EnqueuedJob> answers = Enqueues.add(tx, enqueue.rows, parents);
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
}
