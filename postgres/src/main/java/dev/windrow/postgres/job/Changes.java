package dev.windrow.postgres.job;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.step.StepSql;
import dev.windrow.postgres.step.Waits;
import dev.windrow.postgres.workflow.Chains;
import dev.windrow.postgres.workflow.Dependents;
import dev.windrow.postgres.workflow.WorkflowSql;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Author;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.KeyHolder;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.job.Audits;
import dev.windrow.store.sql.job.ChangedRow;
import dev.windrow.store.sql.job.DedupeKey;
import dev.windrow.store.sql.job.Deletions;
import dev.windrow.store.sql.job.JobVersions;
import dev.windrow.store.sql.payload.Blobs;
import dev.windrow.store.sql.payload.StoredMetadata;
import dev.windrow.store.sql.query.Listings;
import dev.windrow.store.sql.workflow.RetriedDependents;
import dev.windrow.store.sql.writer.Refused;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The verbs of callers that do not hold a job. Each is guarded by (id, the state as read in the same transaction). */
public final class Changes {
    /** The parameters of the guard: the job, and its state as it was read. */
    private static final Columns<ChangedRow> GUARD = new Columns<ChangedRow>()
            .longs(ChangedRow::id)
            .texts(row -> row.state().name());

    private Changes() {}

    /** Reads and checks the jobs. Refuses the change before anything is written. With {@code strict}, one unsuitable job refuses all. */
    private static Checked suitable(
            PostgresTransaction tx,
            Change change,
            List<Long> ids,
            boolean strict,
            boolean withoutLocked,
            boolean dependents)
            throws SQLException {
        boolean retries = change.verb() == Change.Verb.RETRY;
        List<ChangedRow> rows = read(tx, ids, strict, withoutLocked, dependents);
        JobVersions.require(tx, change.expected(), rows);
        if (retries && !change.dryRun() && tx.dependents.finish(ChangedRow.endedWithoutSuccess(rows))) {
            rows = read(tx, ids, strict, withoutLocked, dependents);
        }
        if (!retries) {
            // A child is younger than its parents. It is changed first, because the end of a parent would release it.
            rows.sort(Comparator.comparingLong(ChangedRow::id).reversed());
        }
        List<ChangedRow> suitable = new ArrayList<>();
        RetriedDependents revivals = retries ? RetriedDependents.of(tx, ids) : null;
        Set<Long> comingBack = new HashSet<>(strict ? ids : List.of());
        Set<Long> skipped = new HashSet<>();
        Map<DedupeKey.Name, Long> taken = new HashMap<>();
        JobFilter again = change.needsAnotherLook() ? change.filter() : null;
        Set<Long> matching = again == null ? Set.of() : Listings.matching(tx.statements(), ids, again);
        for (ChangedRow row : rows) {
            if (!change.stillMatches(row.state(), row.errorCode(), row.finishedAt())
                    || hasComeBack(row)
                    || (again != null && !matching.contains(row.id()))) {
                continue;
            }
            String refusal = null;
            if (revivals != null && row.transition(change.verb()).isAllowedFrom(row.state())) {
                refusal = revivals.refusal(row.id(), comingBack);
            }
            if (refusal == null) {
                refusal = refusal(tx, change, row, taken);
            }
            if (refusal == null) {
                suitable.add(row);
                take(row, taken);
                comingBack.add(row.id());
            } else if (strict) {
                throw refused(tx, change, suitable, refusal);
            } else {
                skipped.add(row.id());
            }
        }
        if (change.verb() == Change.Verb.DELETE) {
            suitable.forEach(row -> skipped.add(row.id()));
            suitable = Deletions.unneeded(tx.statements(), change, suitable, strict);
            suitable.forEach(row -> skipped.remove(row.id()));
        }
        boolean leaves = change.withDependents() && !addDependents(tx, change, suitable, taken, strict, withoutLocked);
        return new Checked(change, suitable, change.countNamed(skipped), strict, leaves);
    }

    /** True if the row is a dependent that another transaction has brought back while it had the lock. */
    private static boolean hasComeBack(ChangedRow row) {
        return row.dependent() && row.state() != JobState.CANCELLED;
    }

    /** Notes the key that a job would have after a retry. */
    private static void take(ChangedRow row, Map<DedupeKey.Name, Long> taken) {
        if (row.key() != null && row.takesKeyAgain()) {
            taken.putIfAbsent(row.key().name(), row.id());
        }
    }

    private static List<Long> ids(List<ChangedRow> rows) {
        return rows.stream().map(ChangedRow::id).toList();
    }

    private static TransitionRefusedException refused(
            PostgresTransaction tx, Change change, List<ChangedRow> suitable, String refusal) throws SQLException {
        if (change.verb() == Change.Verb.RETRY && !change.dryRun()) {
            // A check of a key takes it. Keys are given up here, because a refused change writes nothing.
            Keys.giveUp(
                    tx,
                    DedupeSql.KEYS_GONE,
                    suitable.stream()
                            .filter(ChangedRow::takesKeyAgain)
                            .flatMap(Changes::keys)
                            .toList());
        }
        return new TransitionRefusedException(refusal);
    }

    /**
     * Adds the dependents that were cancelled because one of these jobs ended, then their dependents, and so on. Adds as many as one transaction
     * brings back. A dry run writes none, and so counts all of them. Returns false if there may be more.
     */
    private static boolean addDependents(
            PostgresTransaction tx,
            Change change,
            List<ChangedRow> suitable,
            Map<DedupeKey.Name, Long> taken,
            boolean strict,
            boolean withoutLocked)
            throws SQLException {
        List<Long> last = ids(suitable);
        int max = change.dryRun() ? Integer.MAX_VALUE : suitable.size() + Dependents.PART;
        Set<Long> comingBack = new HashSet<>(last);
        boolean all = true;
        while (all && !last.isEmpty()) {
            if (suitable.size() >= max) {
                return false;
            }
            RetriedDependents.Cancelled cancelled = RetriedDependents.cancelledBy(tx, last, max - suitable.size());
            all = cancelled.all();
            List<Long> children = new ArrayList<>(cancelled.ids());
            children.removeAll(comingBack);
            List<ChangedRow> rows = read(tx, children, false, withoutLocked, true);
            if (!change.dryRun() && tx.dependents.finish(ChangedRow.endedWithoutSuccess(rows))) {
                rows = read(tx, children, false, withoutLocked, true);
            }
            last = new ArrayList<>();
            RetriedDependents revivals = RetriedDependents.of(tx, children);
            for (ChangedRow row : rows) {
                // A job that another parent holds back stays cancelled. It comes back with that parent.
                if (hasComeBack(row) || revivals.refusal(row.id(), comingBack) != null) {
                    continue;
                }
                String refusal = refusal(tx, change, row, taken);
                if (refusal == null) {
                    suitable.add(row);
                    take(row, taken);
                    comingBack.add(row.id());
                    last.add(row.id());
                } else if (strict) {
                    throw refused(tx, change, suitable, refusal);
                }
            }
        }
        return all;
    }

    private static List<ChangedRow> read(
            PostgresTransaction tx, List<Long> ids, boolean strict, boolean withoutLocked, boolean dependent)
            throws SQLException {
        Map<Long, ChangedRow> found = new HashMap<>();
        String sql = withoutLocked ? JobSql.READ_FREE_FOR_CHANGE : JobSql.READ_FOR_CHANGE;
        try (ResultSet result = tx.statements().get(sql).ids(1, ids).rows()) {
            while (result.next()) {
                ChangedRow row = ChangedRow.read(tx, result, dependent);
                found.put(row.id(), row);
            }
        }
        List<ChangedRow> rows = new ArrayList<>(ids.size());
        for (long id : ids) {
            ChangedRow row = found.get(id);
            if (row != null) {
                rows.add(row);
            } else if (strict) {
                throw new JobNotFoundException("job", id);
            }
        }
        return rows;
    }

    private static @Nullable String refusal(
            PostgresTransaction tx, Change change, ChangedRow row, Map<DedupeKey.Name, Long> taken)
            throws SQLException {
        String byState = row.refusal(change);
        if (byState != null || row.isRequest(change)) {
            return byState;
        }
        if (change.verb() == Change.Verb.RETRY && row.key() != null) {
            Long holder = change.dryRun() ? keyHolder(tx, row, row.key(), taken) : takeKey(tx, row, row.key());
            if (holder != null) {
                return ChangedRow.keyIsHeld(row.id(), row.key(), holder);
            }
        }
        return null;
    }

    private static Stream<DedupeKey> keys(ChangedRow row) {
        return Stream.ofNullable(row.key());
    }

    /** Returns the other job that has the key of a job to retry, or would get it in the same call. Returns null if there is no such job. */
    private static @Nullable Long keyHolder(
            PostgresTransaction tx, ChangedRow row, DedupeKey key, Map<DedupeKey.Name, Long> taken)
            throws SQLException {
        Long other = taken.get(key.name());
        return other != null ? other : otherHolder(tx, row, Keys.read(tx, key.name()));
    }

    private static @Nullable Long otherHolder(PostgresTransaction tx, ChangedRow row, @Nullable KeyHolder holder) {
        return holder == null || holder.job() == row.id() || !holder.isLive(tx.now())
                ? null
                : Long.valueOf(holder.job());
    }

    /** Takes the key of a job to retry, if the scope of the key requires it. Returns the other job that holds the key, or null. */
    private static @Nullable Long takeKey(PostgresTransaction tx, ChangedRow row, DedupeKey key) throws SQLException {
        while (true) {
            KeyHolder holder = Keys.read(tx, key.name());
            Long other = otherHolder(tx, row, holder);
            if (other != null || !row.takesKeyAgain() || (holder != null && holder.job() == row.id())) {
                return other;
            }
            Keys.Wanted wanted =
                    new Keys.Wanted(key.name(), row.id(), Objects.requireNonNull(row.scope()), null, holder);
            if (!Keys.take(tx, List.of(wanted)).isEmpty()) {
                return null;
            }
        }
    }

    /**
     * A change that has passed all checks before its first write.
     *
     * @param skipped the number of named jobs that cannot be changed
     * @param leaves true if there may be more dependents than this transaction brings back
     */
    private record Checked(Change change, List<ChangedRow> rows, int skipped, boolean strict, boolean leaves) {}

    /** Changes the jobs that can be changed. A change by ids changes all of its jobs, or refuses and changes none. */
    public static ChangeResult apply(PostgresTransaction tx, Change change) throws SQLException {
        return apply(tx, Refused.beforeWriting(() -> check(tx, change)));
    }

    /** Cancels jobs within another command, without an entry in the audit. */
    public static void cancelAll(PostgresTransaction tx, List<Long> ids) throws SQLException {
        List<ChangedRow> unused = write(tx, check(tx, Change.of(Change.Verb.CANCEL, ids, "system")));
    }

    /**
     * Refuses an impossible change before anything is written. A change of many jobs leaves out jobs that other transactions have locked for long.
     */
    private static Checked check(PostgresTransaction tx, Change change) throws SQLException {
        boolean strict = change.filter() == null;
        if (change.next() != null) {
            // All transactions lock parents before children.
            Map<Long, JobState> unused = Enqueues.check(tx, List.of(change.next()));
        }
        List<Long> named = change.named().stream().distinct().toList();
        List<Long> jobs =
                !strict && change.verb() == Change.Verb.DELETE ? Deletions.withChains(tx.statements(), named) : named;
        Checked checked = suitable(tx, change, jobs, strict, !strict && tx.leavesOutLocked, false);
        Blobs.requireStaged(tx, change.result());
        StoredMetadata.check(tx, change);
        return checked;
    }

    /**
     * Brings back jobs that the end of a parent had cancelled, after that parent was retried with its dependents. Also brings back some of the jobs
     * below them. Skips jobs that another parent or their dedupe key holds back.
     *
     * @return the jobs that came back
     */
    public static List<ChangedRow> bringBack(PostgresTransaction tx, Author author, List<Long> jobs)
            throws SQLException {
        return write(tx, suitable(tx, Change.retryDependents(jobs, author), jobs, false, false, true));
    }

    /**
     * Makes a change. A refusal at this point, because a chain would wait for itself, comes after writes. Then the whole transaction is rolled back.
     */
    private static ChangeResult apply(PostgresTransaction tx, Checked checked) throws SQLException {
        Change change = checked.change;
        List<ChangedRow> rows = write(tx, checked);
        if (!change.dryRun() && !rows.isEmpty() && change.holder() == null) {
            Audits.add(tx, change, rows);
        }
        List<Long> changed = ids(rows);
        return new ChangeResult(
                /* count= */ changed.size(),
                /* ids= */ changed.size() > 100 ? changed.subList(0, 100) : changed,
                /* skipped= */ checked.skipped,
                /* next= */ change.next() == null || changed.isEmpty() ? null : tx.chains.next(changed.get(0)),
                /* atLeast= */ false,
                /* children= */ change.dryRun() && change.verb() == Change.Verb.DELETE
                        ? Deletions.keepingParents(tx.statements(), rows)
                        : List.of());
    }

    /** Changes the rows. Returns the ones that were changed, by id. */
    private static List<ChangedRow> write(PostgresTransaction tx, Checked checked) throws SQLException {
        Change change = checked.change;
        List<ChangedRow> rows = checked.rows;
        boolean[] applied = change.dryRun() ? all(rows.size()) : apply(tx, change, rows);
        List<ChangedRow> changed = new ArrayList<>();
        for (int i = 0; i < applied.length; i++) {
            if (applied[i]) {
                changed.add(rows.get(i));
            } else if (checked.strict) {
                throw new SQLException(
                        "job " + rows.get(i).id() + " was changed by another transaction at the same time");
            }
        }
        changed.sort(Comparator.comparingLong(ChangedRow::id));
        if (checked.leaves) {
            tx.dependents.leaveDependents(ids(changed), change.author());
        }
        return changed;
    }

    /**
     * Fails the jobs of this list whose waits have timed out by now. Skips jobs that another transaction has locked. Returns the number of failed
     * jobs.
     */
    public static int timeOut(PostgresTransaction tx, List<Long> ids) throws SQLException {
        List<ChangedRow> over = read(tx, ids, false, true, false).stream()
                .filter(row -> Waits.isOver(row.state(), row.failsAt(), tx.now()))
                .sorted(Comparator.comparingLong(ChangedRow::id))
                .toList();
        int count = 0;
        for (boolean applied : apply(tx, Change.timeOut(ids), over)) {
            count += applied ? 1 : 0;
        }
        return count;
    }

    private static boolean[] all(int size) {
        boolean[] all = new boolean[size];
        Arrays.fill(all, true);
        return all;
    }

    /** Changes the rows, then writes what belongs to the changed ones, and at last releases the children of the ended jobs. */
    private static boolean[] apply(PostgresTransaction tx, Change change, List<ChangedRow> rows) throws SQLException {
        if (change.metadata() != null) {
            StoredMetadata.merge(tx, change, rows.get(0).id(), rows.get(0).token());
            return all(1);
        }
        long actor = tx.actor(change.actor());
        boolean[] applied = new boolean[rows.size()];
        List<Integer> transitions = new ArrayList<>();
        for (int i = 0; i < applied.length; i++) {
            if (rows.get(i).isRequest(change)) {
                applied[i] = rows.get(i).requestCancel(tx, change);
            } else {
                transitions.add(i);
            }
        }
        boolean[] updated =
                update(tx, change, transitions.stream().map(rows::get).toList(), actor);
        Map<Long, JobState> ended = new LinkedHashMap<>();
        for (int i = 0; i < updated.length; i++) {
            int row = transitions.get(i);
            applied[row] = updated[i];
            if (updated[i]) {
                record(tx, change, rows.get(row), actor, ended);
            }
        }
        writeNext(tx, change, rows, ended);
        Keys.giveUp(
                tx,
                DedupeSql.KEYS_ENDED,
                rows.stream()
                        .filter(row -> ended.containsKey(row.id()))
                        .flatMap(Changes::keys)
                        .toList());
        Dependents.release(tx, ended);
        return applied;
    }

    private static void writeNext(
            PostgresTransaction tx, Change change, List<ChangedRow> rows, Map<Long, JobState> ended)
            throws SQLException {
        JobRow next = change.next();
        if (next == null) {
            return;
        }
        List<Chains.Next> nexts = new ArrayList<>();
        for (ChangedRow row : rows) {
            if (ended.containsKey(row.id())) {
                nexts.add(new Chains.Next(row.id(), row.key(), next));
                if (row.cancelRequested()) {
                    tx.chains.unwanted(row.id());
                }
            }
        }
        tx.chains.writeNext(nexts);
    }

    /** Runs the guarded updates: one statement for all rows, but for ends from outside. */
    private static boolean[] update(PostgresTransaction tx, Change change, List<ChangedRow> rows, long actor)
            throws SQLException {
        if (rows.isEmpty()) {
            return new boolean[0];
        }
        return switch (change.verb()) {
            case MERGE_METADATA -> throw new IllegalStateException("metadata are changed without a transition");
            case CANCEL -> cancel(tx, rows);
            case RETRY -> retry(tx, change, rows);
            case TRIGGER -> trigger(tx, rows);
            case DELETE -> delete(tx, rows);
            case COMPLETE, FAIL -> {
                boolean[] updated = new boolean[rows.size()];
                for (int i = 0; i < updated.length; i++) {
                    ChangedRow row = rows.get(i);
                    JobState to =
                            Objects.requireNonNull(row.transition(change.verb()).to());
                    updated[i] = finish(tx, change, row, to, actor);
                }
                yield updated;
            }
        };
    }

    private static void record(
            PostgresTransaction tx, Change change, ChangedRow row, long actor, Map<Long, JobState> ended) {
        Transition transition = row.transition(change.verb());
        JobState to = transition.to();
        if (row.state() == JobState.FAILED) {
            tx.noLongerFailed(row.errorCode());
        }
        if (to == JobState.FAILED) {
            tx.failed(change.errorCode(), tx.now());
        }
        if (to == null) {
            tx.left(row.lane(), row.state());
            return;
        }
        tx.moved(
                row.id(),
                row.concurrencyKey(),
                (int) row.lane(),
                row.state(),
                to,
                to == JobState.PENDING
                        ? new ClaimCursors.Place(-row.priority(), readyAt(tx, transition, row), row.id())
                        : null);
        // A due job becomes ready without an event of its own. A trigger by an operator writes one.
        EventKind event = transition == Transition.PROMOTE ? EventKind.RELEASED : transition.event();
        if (event != null) {
            tx.event(row.id(), tx.now(), event, actor, row.token(), row.eventDetail(change));
        }
        if (to.isFinished()) {
            tx.notices().finished(row.id(), to);
            ended.put(row.id(), to);
        }
    }

    private static long readyAt(PostgresTransaction tx, Transition transition, ChangedRow row) {
        return transition == Transition.PROMOTE ? Math.min(row.scheduledAt(), tx.stamp()) : tx.stamp();
    }

    private static boolean[] cancel(PostgresTransaction tx, List<ChangedRow> rows) throws SQLException {
        return changed(tx.statements().get(JobSql.CANCEL).bind(1, GUARD, rows).set(3, tx.now()), rows);
    }

    /** Runs a guarded update that returns the ids of the changed jobs. */
    private static boolean[] changed(PostgresQuery update, List<ChangedRow> rows) throws SQLException {
        Set<Long> ids = new HashSet<>();
        try (ResultSet result = update.rows()) {
            while (result.next()) {
                ids.add(result.getLong(1));
            }
        }
        boolean[] changed = new boolean[rows.size()];
        for (int i = 0; i < changed.length; i++) {
            changed[i] = ids.contains(rows.get(i).id());
        }
        return changed;
    }

    /** A job to retry, and its state after that. */
    private record Retried(ChangedRow row, JobState to) {
        boolean waits() {
            return to == JobState.BLOCKED;
        }
    }

    private static boolean[] retry(PostgresTransaction tx, Change change, List<ChangedRow> rows) throws SQLException {
        long now = tx.stamp();
        Columns<Retried> columns = new Columns<Retried>()
                .longs(retried -> retried.row.id())
                .texts(retried -> retried.row.state().name())
                .texts(retried -> retried.to.name())
                .ints(retried -> retried.row.dependent() ? null : change.maxAttempts())
                .longs(retried -> retried.waits() ? null : Long.valueOf(now))
                .texts(retried -> retried.waits() ? "PARENTS" : null);
        List<Retried> states = rows.stream()
                .map(row -> new Retried(
                        row,
                        Objects.requireNonNull(row.transition(change.verb()).to())))
                .toList();
        boolean[] retried = changed(tx.statements().get(JobSql.RETRY).bind(1, columns, states), rows);
        List<Waits.Wait> waits = new ArrayList<>();
        List<Long> fromStart = new ArrayList<>();
        for (int i = 0; i < retried.length; i++) {
            ChangedRow row = rows.get(i);
            if (retried[i] && change.fromStart() && !row.dependent()) {
                fromStart.add(row.id());
            }
            if (retried[i] && row.openParents() == 0 && row.waitMillis() != null) {
                waits.add(new Waits.Wait(row.id(), row.waitMillis(), null));
            }
        }
        Waits.begin(tx, waits);
        if (!fromStart.isEmpty()) {
            tx.statements().get(StepSql.FORGET_STEPS).ids(1, fromStart).update();
        }
        List<Long> waiting =
                ids(rows.stream().filter(row -> row.openParents() > 0).toList());
        if (!waiting.isEmpty()) {
            tx.statements().get(WorkflowSql.UNMARK_EDGES).ids(1, waiting).update();
        }
        return retried;
    }

    private static boolean[] trigger(PostgresTransaction tx, List<ChangedRow> rows) throws SQLException {
        return changed(tx.statements().get(JobSql.TRIGGER).ids(1, ids(rows)).set(2, tx.stamp()), rows);
    }

    private static boolean[] delete(PostgresTransaction tx, List<ChangedRow> rows) throws SQLException {
        List<Long> ids = ids(rows);
        List<String> states = new ArrayList<>();
        List<@Nullable String> types = new ArrayList<>();
        List<@Nullable String> keys = new ArrayList<>();
        for (ChangedRow row : rows) {
            states.add(row.state().name());
            types.add(row.key() == null ? null : row.key().name().type());
            keys.add(row.key() == null ? null : row.key().name().key());
        }
        // Events of these jobs that the transaction has added go with them.
        tx.flushEvents();
        tx.statements().get(WorkflowSql.FORGET_PARENTS).ids(1, ids).update();
        tx.statements().get(JobSql.LEAVE_LONG_BLOBS).ids(1, ids).update();
        long gone = tx.statements()
                .get(JobSql.DELETE)
                .ids(1, ids)
                .texts(2, states)
                .array(3, "text", types.toArray())
                .array(4, "text", keys.toArray())
                .set(5, tx.now())
                .one();
        if (gone != rows.size()) {
            throw new SQLException(
                    "%d of %d jobs changed while they were deleted".formatted(rows.size() - gone, rows.size()));
        }
        return all(rows.size());
    }

    private static boolean finish(PostgresTransaction tx, Change change, ChangedRow row, JobState to, long actor)
            throws SQLException {
        Long claimedAt = tx.statements()
                .get(JobSql.FINISH_EXTERNALLY)
                .set(1, row.id())
                .set(2, row.state().name())
                .set(3, to.name())
                .set(4, tx.now())
                .set(5, change.errorCode())
                .set(6, change.errorDetail())
                .oneOrNull();
        if (claimedAt == null) {
            return false;
        }
        if (row.state() == JobState.RUNNING) {
            tx.attemptEnded((int) row.lane(), row.used() + 1);
            tx.attempt(new PostgresTransaction.Attempt(
                    /* job= */ row.id(),
                    /* token= */ row.token(),
                    /* startedAt= */ row.startedAt(),
                    /* finishedAt= */ tx.now(),
                    /* attempt= */ row.used() + 1,
                    /* worker= */ row.worker() == null
                            ? (int) actor
                            : row.worker().intValue(),
                    /* outcome= */ AttemptOutcome.SUPERSEDED,
                    /* errorCode= */ null,
                    /* errorDetail= */ null,
                    /* run= */ row.run(),
                    /* claimedAt= */ claimedAt));
            tx.notices().superseded(new LeaseToken(row.id(), row.token()));
            HistoryTruncation.ended(tx, row.id(), row.token());
        }
        // A job that is failed and retried from outside again and again has events without attempts.
        HistoryTruncation.ended(tx, row.id(), row.token() + 1);
        if (to == JobState.COMPLETED && change.result() != null) {
            tx.statements()
                    .get(JobSql.INSERT_RESULTS)
                    .ids(1, List.of(row.id()))
                    .texts(2, List.of(change.result()))
                    .update();
            Blobs.adopt(tx, change.result(), row.id(), Blobs.Kind.RESULT);
        }
        return true;
    }
}
