package dev.windrow.sqlite.job;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.step.StepSql;
import dev.windrow.sqlite.step.Waits;
import dev.windrow.sqlite.workflow.Chains;
import dev.windrow.sqlite.workflow.Dependents;
import dev.windrow.sqlite.workflow.WorkflowSql;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.Author;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Statement;
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
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The verbs of callers that do not hold a job. Each is guarded by (id, the state as read in the same transaction). */
public final class Changes {
    private Changes() {}

    /** Counts the event numbers and ids that a change needs, including the ids of the next job of a chain. */
    public static int ids(Change change) {
        return change.named().size() + (change.next() == null ? 1 : 1 + Enqueues.ids(List.of(change.next())));
    }

    /** Reads the jobs and checks them before anything is written. With {@code strict}, one unsuitable job refuses all. */
    private static Checked suitable(SqliteTransaction tx, Change change, List<Long> ids, boolean strict)
            throws SQLException {
        boolean retries = change.verb() == Change.Verb.RETRY;
        List<ChangedRow> rows = read(tx, ids, strict, false);
        JobVersions.require(tx, change.expected(), rows);
        if (retries && !change.dryRun() && tx.dependents.finish(ChangedRow.endedWithoutSuccess(rows))) {
            rows = read(tx, ids, strict, false);
        }
        if (!retries) {
            // A child is younger than its parents, and is changed first. The end of a parent would release it.
            rows.sort(Comparator.comparingLong(ChangedRow::id).reversed());
        }
        List<ChangedRow> suitable = new ArrayList<>();
        Set<Long> skipped = new HashSet<>();
        RetriedDependents revivals = retries ? RetriedDependents.of(tx, ids) : null;
        Set<Long> comingBack = new HashSet<>(strict ? ids : List.of());
        JobFilter again = change.needsAnotherLook() ? change.filter() : null;
        Set<Long> matching = again == null ? Set.of() : Listings.matching(tx.statements(), ids, again);
        for (ChangedRow row : rows) {
            if (!change.stillMatches(row.state(), row.errorCode(), row.finishedAt())
                    || (again != null && !matching.contains(row.id()))) {
                continue;
            }
            String refusal = refusal(tx, change, row, suitable);
            if (refusal == null && revivals != null) {
                refusal = revivals.refusal(row.id(), comingBack);
            }
            if (refusal == null) {
                suitable.add(row);
                comingBack.add(row.id());
            } else if (strict) {
                throw new TransitionRefusedException(refusal);
            } else {
                skipped.add(row.id());
            }
        }
        if (change.verb() == Change.Verb.DELETE) {
            suitable.forEach(row -> skipped.add(row.id()));
            suitable = Deletions.unneeded(tx.statements(), change, suitable, strict);
            suitable.forEach(row -> skipped.remove(row.id()));
        }
        boolean leaves = change.withDependents() && !addDependents(tx, change, suitable, strict);
        return new Checked(change, suitable, change.countNamed(skipped), strict, leaves);
    }

    /**
     * Adds the jobs that were cancelled because one of these jobs ended, then their dependents, and so on, as many as one transaction retries. A dry
     * run writes nothing and counts them all. False if more may exist.
     */
    private static boolean addDependents(SqliteTransaction tx, Change change, List<ChangedRow> suitable, boolean strict)
            throws SQLException {
        List<Long> last = suitable.stream().map(ChangedRow::id).toList();
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
            if (!change.dryRun()) {
                tx.dependents.finish(children);
            }
            last = new ArrayList<>();
            RetriedDependents revivals = RetriedDependents.of(tx, children);
            for (ChangedRow row : read(tx, children, false, true)) {
                // A job that another parent blocks stays cancelled, and is retried together with that parent.
                if (revivals.refusal(row.id(), comingBack) != null) {
                    continue;
                }
                String refusal = refusal(tx, change, row, suitable);
                if (refusal == null) {
                    suitable.add(row);
                    comingBack.add(row.id());
                    last.add(row.id());
                } else if (strict) {
                    throw new TransitionRefusedException(refusal);
                }
            }
        }
        return all;
    }

    private static List<ChangedRow> read(SqliteTransaction tx, List<Long> ids, boolean strict, boolean dependent)
            throws SQLException {
        List<ChangedRow> rows = new ArrayList<>(ids.size());
        try (ResultSet result =
                tx.statements().get(JobSql.READ_FOR_CHANGE).ids(1, ids).rows()) {
            for (int i = 0; result.next(); i++) {
                String state = result.getString(2);
                if (state == null) {
                    if (strict) {
                        throw new JobNotFoundException("job", ids.get(i));
                    }
                    continue;
                }
                rows.add(ChangedRow.read(tx, result, dependent));
            }
        }
        return rows;
    }

    private static @Nullable String refusal(
            SqliteTransaction tx, Change change, ChangedRow row, List<ChangedRow> before) throws SQLException {
        String byState = row.refusal(change);
        if (byState != null || row.isRequest(change)) {
            return byState;
        }
        if (change.verb() == Change.Verb.RETRY && row.key() != null) {
            Long holder = keyHolder(tx, row.key(), before);
            if (holder != null) {
                return ChangedRow.keyIsHeld(row.id(), row.key(), holder);
            }
        }
        return null;
    }

    /** Returns the other job that has the key of a job to retry, or that will have it by the same call. Null if no other job has it. */
    private static @Nullable Long keyHolder(SqliteTransaction tx, DedupeKey key, List<ChangedRow> before)
            throws SQLException {
        for (ChangedRow other : before) {
            if (other.takesKeyAgain()
                    && other.key() != null
                    && other.key().type().equals(key.type())
                    && other.key().key().equals(key.key())) {
                return other.id();
            }
        }
        return Keys.otherHolder(tx, key);
    }

    /**
     * A change that no check refuses, as far as checks before a write can tell.
     *
     * @param skipped the number of named jobs that cannot be changed
     * @param leaves true if there may be more dependents than this transaction retries
     */
    private record Checked(Change change, List<ChangedRow> rows, int skipped, boolean strict, boolean leaves) {}

    /** Changes the jobs that can be changed. If the jobs are named by id, changes all of them or throws. */
    public static ChangeResult apply(SqliteTransaction tx, Change change) throws SQLException {
        return apply(tx, Refused.beforeWriting(() -> check(tx, change)));
    }

    /** Cancels jobs within another command, without an entry in the audit. */
    public static void cancelAll(SqliteTransaction tx, List<Long> ids) throws SQLException {
        List<ChangedRow> unused = write(tx, check(tx, Change.of(Change.Verb.CANCEL, ids, "system")));
    }

    /** Throws if a change cannot be made, before any of it is written. */
    private static Checked check(SqliteTransaction tx, Change change) throws SQLException {
        boolean strict = change.filter() == null;
        List<Long> named = change.named().stream().distinct().toList();
        List<Long> jobs =
                !strict && change.verb() == Change.Verb.DELETE ? Deletions.withChains(tx.statements(), named) : named;
        Checked checked = suitable(tx, change, jobs, strict);
        Blobs.requireStaged(tx, change.result());
        StoredMetadata.check(tx, change);
        if (change.next() != null) {
            Map<Long, JobState> unused = Enqueues.check(tx, List.of(change.next()));
        }
        return checked;
    }

    /**
     * Retries jobs that were cancelled by the end of a parent, which was retried with its dependents, and some of their own dependents. A job stays
     * cancelled if another parent or its dedupe key prevents its retry.
     *
     * @return the retried jobs
     */
    public static List<ChangedRow> bringBack(SqliteTransaction tx, Author author, List<Long> jobs) throws SQLException {
        return write(tx, suitable(tx, Change.retryDependents(jobs, author), jobs, false));
    }

    /** Writes a change. A refusal at this point, because a chain would wait for itself, comes after writes: all of it is rolled back. */
    private static ChangeResult apply(SqliteTransaction tx, Checked checked) throws SQLException {
        Change change = checked.change;
        List<ChangedRow> rows = write(tx, checked);
        if (!change.dryRun() && !rows.isEmpty() && change.holder() == null) {
            Audits.add(tx, change, rows);
        }
        List<Long> changed = rows.stream().map(ChangedRow::id).toList();
        return new ChangeResult(
                /* count= */ changed.size(),
                /* ids= */ changed.size() > 100 ? changed.subList(0, 100) : changed,
                /* skipped= */ checked.skipped,
                /* next= */ change.next() == null || changed.isEmpty() ? null : tx.chainEnds.next(changed.get(0)),
                /* atLeast= */ false,
                /* children= */ change.dryRun() && change.verb() == Change.Verb.DELETE
                        ? Deletions.keepingParents(tx.statements(), rows)
                        : List.of());
    }

    /** Changes the rows. Returns the ones that were changed, by id. */
    private static List<ChangedRow> write(SqliteTransaction tx, Checked checked) throws SQLException {
        Change change = checked.change;
        List<ChangedRow> changed = new ArrayList<>();
        for (ChangedRow row : checked.rows) {
            if (change.dryRun() || apply(tx, change, row)) {
                changed.add(row);
            } else if (checked.strict) {
                throw new SQLException("job " + row.id() + " has changed since it was read");
            }
        }
        changed.sort(Comparator.comparingLong(ChangedRow::id));
        tx.flushEvents();
        if (checked.leaves) {
            tx.dependents.leaveDependents(changed.stream().map(ChangedRow::id).toList(), change.author());
        }
        return changed;
    }

    /** Fails the jobs whose waits have timed out, by their state in this transaction. Returns their number. */
    public static int timeOut(SqliteTransaction tx, List<Long> ids) throws SQLException {
        Change change = Change.timeOut(ids);
        int count = 0;
        for (ChangedRow row : read(tx, ids, false, false)) {
            if (Waits.isOver(row.state(), row.failsAt(), tx.now()) && apply(tx, change, row)) {
                count++;
            }
        }
        tx.flushEvents();
        return count;
    }

    private static boolean apply(SqliteTransaction tx, Change change, ChangedRow row) throws SQLException {
        if (row.isRequest(change)) {
            return row.requestCancel(tx, change);
        }
        if (change.metadata() != null) {
            StoredMetadata.merge(tx, change, row.id(), row.token());
            return true;
        }
        long actor = tx.names.actor(change.actor());
        Transition transition = row.transition(change.verb());
        JobState to = transition.to();
        boolean applied = switch (transition) {
            case CANCEL -> cancel(tx, row);
            case RETRY, RETRY_BLOCKED -> retry(tx, change, row, Objects.requireNonNull(to));
            case COMPLETE_EXTERNALLY, FAIL_EXTERNALLY -> finish(tx, change, row, Objects.requireNonNull(to), actor);
            case PROMOTE -> trigger(tx, row);
            case DELETE -> delete(tx, row);
            default -> throw new IllegalStateException(transition + " is no change from outside");
        };
        if (!applied) {
            return false;
        }
        if (row.state() == JobState.FAILED) {
            tx.noLongerFailed(row.errorCode());
        }
        if (to == JobState.FAILED) {
            tx.failed(change.errorCode(), tx.now());
        }
        if (to == null) {
            tx.left(row.lane(), row.state());
            if (row.key() != null) {
                Keys.deleted(tx, row.key(), row.state());
            }
            return true;
        }
        tx.moved(row.id(), row.lane(), row.concurrencyKey(), row.state(), to);
        // A job that becomes due writes no event. An operator's trigger writes one.
        EventKind event = transition == Transition.PROMOTE ? EventKind.RELEASED : transition.event();
        if (event != null) {
            tx.event(row.id(), tx.now(), event, actor, row.token(), row.eventDetail(change));
        }
        if (to.isFinished()) {
            tx.notices().finished(row.id(), to);
            tx.flushEvents();
            if (change.next() != null) {
                if (row.cancelRequested()) {
                    tx.chainEnds.unwanted(row.id());
                }
                Chains.writeNext(tx, List.of(new Chains.Next(row.id(), row.key(), change.next())));
            }
            Keys.giveUp(tx, DedupeSql.KEY_ENDED, keys(row));
            Dependents.release(tx, Map.of(row.id(), to));
        }
        return true;
    }

    private static List<DedupeKey> keys(ChangedRow row) {
        return row.key() == null ? List.of() : List.of(row.key());
    }

    private static boolean cancel(SqliteTransaction tx, ChangedRow row) throws SQLException {
        Query update = tx.statements().get(JobSql.CANCEL);
        update.set(1, row.id()).set(2, row.state().name()).set(3, tx.now());
        return update.update() == 1;
    }

    private static boolean retry(SqliteTransaction tx, Change change, ChangedRow row, JobState to) throws SQLException {
        Query update = tx.statements().get(JobSql.RETRY);
        update.set(1, row.id()).set(2, row.state().name()).set(3, to.name());
        Integer attempts = row.dependent() ? null : change.maxAttempts();
        update.set(4, attempts == null ? null : attempts.longValue())
                .set(5, to == JobState.BLOCKED ? null : Long.valueOf(tx.stamp()))
                .set(6, to == JobState.BLOCKED ? "PARENTS" : null);
        boolean applied = update.update() == 1;
        if (applied && change.fromStart() && !row.dependent()) {
            tx.statements().get(StepSql.FORGET_STEPS).set(1, row.id()).update();
        }
        if (applied && row.openParents() == 0 && row.waitMillis() != null) {
            Waits.begin(tx, row.id(), row.waitMillis());
        }
        if (applied && row.openParents() > 0) {
            tx.statements().get(WorkflowSql.UNMARK_EDGES).set(1, row.id()).update();
        }
        if (applied && row.key() != null && row.takesKeyAgain()) {
            Keys.Held held = Keys.read(tx, row.key().type(), row.key().key());
            Keys.take(tx, row.key(), held, Objects.requireNonNull(row.scope()), null);
        }
        return applied;
    }

    private static boolean trigger(SqliteTransaction tx, ChangedRow row) throws SQLException {
        Query update = tx.statements().get(JobSql.TRIGGER);
        update.set(1, row.id()).set(2, tx.stamp());
        return update.update() == 1;
    }

    private static boolean delete(SqliteTransaction tx, ChangedRow row) throws SQLException {
        tx.statements().get(Statement.FORGET_PARENTS).ids(1, List.of(row.id())).update();
        tx.statements().get(JobSql.LEAVE_LONG_BLOBS).set(1, row.id()).update();
        return tx.statements()
                        .get(JobSql.DELETE)
                        .set(1, row.id())
                        .set(2, row.state().name())
                        .update()
                == 1;
    }

    private static boolean finish(SqliteTransaction tx, Change change, ChangedRow row, JobState to, long actor)
            throws SQLException {
        Query update = tx.statements().get(JobSql.FINISH_EXTERNALLY);
        update.set(1, row.id())
                .set(2, row.state().name())
                .set(3, to.name())
                .set(4, tx.now())
                .set(5, change.errorCode())
                .set(6, change.errorDetail());
        if (update.update() != 1) {
            return false;
        }
        if (row.state() == JobState.RUNNING) {
            tx.statements()
                    .get(JobSql.INSERT_ATTEMPT)
                    .set(1, row.id())
                    .set(2, row.token())
                    .set(3, row.used() + 1)
                    .set(4, row.worker() == null ? actor : row.worker())
                    .set(5, row.startedAt())
                    .set(6, tx.now())
                    .set(7, AttemptOutcome.SUPERSEDED.name())
                    .set(8, (String) null)
                    .set(9, (String) null)
                    .set(10, row.run())
                    .update();
            tx.attemptEnded(row.lane(), row.used() + 1);
            tx.superseded(new LeaseToken(row.id(), row.token()));
            HistoryTruncation.ended(tx, row.id(), row.token());
        }
        // A job that is failed and retried externally, over and over, has events without attempts.
        HistoryTruncation.ended(tx, row.id(), row.token() + 1);
        if (to == JobState.COMPLETED && change.result() != null) {
            Query result = tx.statements().get(JobSql.INSERT_RESULT);
            result.set(1, row.id()).set(2, change.result()).update();
            Blobs.adopt(tx, change.result(), row.id(), Blobs.Kind.RESULT);
        }
        return true;
    }
}
