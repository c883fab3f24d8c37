package dev.windrow.sqlite.job;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.sqlite.workflow.Chains;
import dev.windrow.sqlite.workflow.Dependents;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.job.DedupeKey;
import dev.windrow.store.sql.job.Ended;
import dev.windrow.store.sql.payload.Blobs;
import dev.windrow.store.sql.step.Steps;
import dev.windrow.store.step.StepAnswer;
import dev.windrow.store.step.StepWrite;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The holder's verbs: started and settle. Each is guarded by (id, RUNNING, token). */
public final class Settles {
    /** The least number of equal completions that are written with one statement. Below it, binding each of them costs no more. */
    private static final int EQUAL = 8;

    private Settles() {}

    /** Records the starts of attempts that still hold their jobs. */
    public static void started(SqliteTransaction tx, List<Started> starts) throws SQLException {
        if (starts.isEmpty()) {
            return;
        }
        Query mark = tx.statements().get(JobSql.MARK_STARTED);
        for (Started start : starts) {
            mark.set(1, start.leaseToken().id())
                    .set(2, start.leaseToken().token())
                    .set(3, start.atMillis())
                    .add();
        }
        mark.batch();
    }

    /** True if the lease token still holds its job. */
    public static boolean isHeld(SqliteTransaction tx, LeaseToken leaseToken) throws SQLException {
        return tx.statements()
                .get(JobSql.STILL_HELD)
                .set(1, leaseToken.id())
                .set(2, leaseToken.token())
                .exists();
    }

    /** Writes a step. Returns empty, and writes nothing, if the holder has lost the job. */
    public static Optional<StepAnswer> writeStep(SqliteTransaction tx, StepWrite step) throws SQLException {
        return isHeld(tx, step.leaseToken()) ? Optional.of(Steps.write(tx, step)) : Optional.empty();
    }

    /** Settles attempts. Each element of the result is true if that settlement was applied. */
    public static boolean[] settle(SqliteTransaction tx, List<Settle> settlements) throws SQLException {
        Chains.look(tx, settlements);
        List<Ended> all = new ArrayList<>(settlements.size());
        for (Settle s : settlements) {
            all.add(Ended.of(tx, s));
        }
        boolean[] applied = apply(tx, all);
        if (tx.minutes != null) {
            for (int i = 0; i < applied.length; i++) {
                if (applied[i]) {
                    tx.minutes.ended(settlements.get(i).job(), settlements.get(i));
                }
            }
        }
        return applied;
    }

    /** Applies ends of attempts in bulk: one batch of guarded updates for each target state, then the other rows of the applied ones. */
    static boolean[] apply(SqliteTransaction tx, List<Ended> all) throws SQLException {
        Map<JobState, List<Integer>> byTarget = new EnumMap<>(JobState.class);
        for (int i = 0; i < all.size(); i++) {
            JobState to = Objects.requireNonNull(all.get(i).transition().to());
            byTarget.computeIfAbsent(to, k -> new ArrayList<>()).add(i);
        }
        boolean[] applied = new boolean[all.size()];
        for (Map.Entry<JobState, List<Integer>> group : byTarget.entrySet()) {
            update(tx, group.getKey(), all, group.getValue(), applied);
            if (!group.getKey().isFinished()) {
                cancelInstead(tx, all, group.getValue(), applied);
            }
        }
        record(tx, all, applied);
        return applied;
    }

    private static void update(
            SqliteTransaction tx, JobState to, List<Ended> all, List<Integer> indexes, boolean[] applied)
            throws SQLException {
        List<Integer> rest = to == JobState.COMPLETED ? updateEqual(tx, all, indexes, applied) : indexes;
        if (rest.isEmpty()) {
            return;
        }
        Query update = tx.statements().get(statement(to));
        for (int i : rest) {
            bind(update, to, all.get(i));
        }
        boolean[] changed = update.batch();
        for (int n = 0; n < changed.length; n++) {
            applied[rest.get(n)] = changed[n];
        }
    }

    /** The values that a completed attempt writes. */
    private record Completion(
            long token, boolean counts, @Nullable Long startedAt, long finishedAt) {}

    /** Completes jobs whose attempts write the same values, with one statement for all of them. Returns the other ones. */
    private static List<Integer> updateEqual(
            SqliteTransaction tx, List<Ended> all, List<Integer> indexes, boolean[] applied) throws SQLException {
        if (indexes.size() < EQUAL) {
            return indexes;
        }
        Map<Completion, Map<Long, Integer>> groups = new LinkedHashMap<>();
        Set<Long> seen = new HashSet<>();
        List<Integer> second = new ArrayList<>();
        for (int i : indexes) {
            Ended e = all.get(i);
            if (!seen.add(e.job())) {
                second.add(i);
                continue;
            }
            groups.computeIfAbsent(
                            new Completion(e.token(), e.outcome().countsAsAttempt(), e.startedAt(), e.finishedAt()),
                            k -> new LinkedHashMap<>())
                    .put(e.job(), i);
        }
        List<Integer> rest = new ArrayList<>();
        for (Map.Entry<Completion, Map<Long, Integer>> group : groups.entrySet()) {
            if (group.getValue().size() < EQUAL) {
                rest.addAll(group.getValue().values());
            } else {
                complete(tx, group.getKey(), group.getValue(), applied);
            }
        }
        rest.addAll(second); // The first settlement of a job counts.
        return rest;
    }

    private static void complete(SqliteTransaction tx, Completion values, Map<Long, Integer> jobs, boolean[] applied)
            throws SQLException {
        String ids = JsonText.array(jobs.keySet());
        List<Long> lost = tx.statements()
                .get(JobSql.NOT_HELD)
                .set(1, ids)
                .set(2, values.token)
                .longs();
        int changed = tx.statements()
                .get(JobSql.SETTLE_ALL_COMPLETED)
                .set(1, ids)
                .set(2, values.token)
                .set(3, values.counts ? 1 : 0)
                .set(4, values.startedAt)
                .set(5, values.finishedAt)
                .update();
        if (changed != jobs.size() - lost.size()) {
            throw new SQLException(
                    "%d attempts held their jobs, and %d could complete them: the file may be damaged; run 'windrow doctor --full'"
                            .formatted(jobs.size() - lost.size(), changed));
        }
        jobs.values().forEach(i -> applied[i] = true);
        lost.forEach(job -> applied[Objects.requireNonNull(jobs.get(job))] = false);
    }

    /**
     * Cancels jobs whose update to an unfinished state was refused. Such a job was lost, or its cancellation was requested. A holder that still holds
     * its job ends it {@code CANCELLED}.
     */
    private static void cancelInstead(SqliteTransaction tx, List<Ended> all, List<Integer> indexes, boolean[] applied)
            throws SQLException {
        List<Integer> refused = indexes.stream().filter(i -> !applied[i]).toList();
        if (!refused.isEmpty()) {
            for (int i : refused) {
                all.set(i, all.get(i).cancelled());
            }
            update(tx, JobState.CANCELLED, all, refused, applied);
        }
    }

    private static String statement(JobState to) {
        return switch (to) {
            case COMPLETED -> JobSql.SETTLE_COMPLETED;
            case FAILED -> JobSql.SETTLE_FAILED;
            case CANCELLED -> JobSql.SETTLE_CANCELLED;
            case SCHEDULED -> JobSql.SETTLE_SCHEDULED;
            case PENDING -> JobSql.SETTLE_PENDING;
            case BLOCKED -> JobSql.SETTLE_BLOCKED;
            case RUNNING -> throw new IllegalArgumentException("an attempt cannot end RUNNING");
        };
    }

    private static void bind(Query update, JobState to, Ended e) throws SQLException {
        update.set(1, e.job())
                .set(2, e.token())
                .set(3, e.outcome().countsAsAttempt() ? 1 : 0)
                .set(4, e.startedAt());
        if (to == JobState.COMPLETED || to == JobState.FAILED || to == JobState.CANCELLED) {
            update.set(5, e.finishedAt());
        }
        if (to == JobState.FAILED || to == JobState.CANCELLED || to == JobState.SCHEDULED) {
            update.set(6, e.errorCode());
            // Without an error code the detail is a reason and no failure, and the job keeps the detail of its last
            // failure.
            update.set(7, e.failureDetail());
        }
        if (to == JobState.SCHEDULED || to == JobState.BLOCKED) {
            update.set(8, e.nextRunAt());
        }
        update.add();
    }

    private static void record(SqliteTransaction tx, List<Ended> all, boolean[] applied) throws SQLException {
        List<Ended> ends = new ArrayList<>(applied.length);
        Query results = tx.statements().get(JobSql.INSERT_RESULT);
        Query attempts = tx.statements().get(JobSql.INSERT_ATTEMPT);
        Query texts = tx.statements().get(JobSql.INSERT_ATTEMPT_TEXT);
        Map<Long, JobState> finals = new LinkedHashMap<>();
        List<DedupeKey> keys = new ArrayList<>();
        List<Chains.Next> nexts = new ArrayList<>();
        boolean anyAttempt = false;
        boolean anyText = false;
        boolean anyResult = false;
        for (int i = 0; i < applied.length; i++) {
            if (!applied[i]) {
                continue;
            }
            Ended e = all.get(i);
            JobState to = Objects.requireNonNull(e.transition().to());
            ends.add(e);
            if (e.result() != null && to == JobState.COMPLETED) {
                results.set(1, e.job()).set(2, e.result()).add();
                anyResult = true;
            }
            if (!e.isInJobRow()) {
                bindAttempt(attempts, e);
                anyAttempt = true;
            }
            anyText |= addText(texts, e, "OUTPUT", e.output());
            anyText |= addText(texts, e, "STACK_TRACE", e.stackTrace());
            anyText |= addText(texts, e, "TRACE", e.traceparent());
            EventKind event = e.transition().event();
            if (event != null && !e.isEventInJobRow()) {
                tx.event(e.job(), e.finishedAt(), event, e.actor(), e.token(), e.eventDetail());
            }
            tx.moved(e.job(), e.lane(), e.concurrencyKey(), JobState.RUNNING, to);
            tx.attemptEnded(e.lane(), e.attempt());
            if (to == JobState.FAILED) {
                tx.failed(e.errorCode(), e.finishedAt());
            }
            if (e.awaits() != null) {
                Steps.parked(tx, new Steps.Parked(e.job(), e.lane(), e.token(), e.concurrencyKey()), e.awaits());
            } else if (to == JobState.BLOCKED && e.nextRunAt() != null) {
                tx.notices().waitsUntil(e.nextRunAt());
            }
            if (to.isFinished()) {
                finals.put(e.job(), to);
                tx.notices().finished(e.job(), to);
                if (e.next() != null) {
                    nexts.add(new Chains.Next(e.job(), e.key(), e.next()));
                }
                if (e.key() != null) {
                    keys.add(e.key());
                }
            }
        }
        if (anyAttempt) {
            attempts.batch();
        }
        tx.flushEvents();
        for (Ended e : ends) {
            HistoryTruncation.ended(tx, e.job(), e.token());
        }
        if (anyResult) {
            results.batch();
            for (Ended e : ends) {
                if (e.transition().to() == JobState.COMPLETED) {
                    Blobs.adopt(tx, e.result(), e.job(), Blobs.Kind.RESULT);
                }
            }
        }
        if (anyText) {
            texts.batch();
        }
        Chains.writeNext(tx, nexts);
        Keys.giveUp(tx, DedupeSql.KEY_ENDED, keys);
        Dependents.release(tx, finals);
    }

    private static void bindAttempt(Query attempts, Ended e) throws SQLException {
        attempts.set(1, e.job())
                .set(2, e.token())
                .set(3, e.attempt())
                .set(4, e.worker())
                .set(5, e.startedAt())
                .set(6, e.finishedAt())
                .set(7, e.outcome().name())
                .set(8, e.errorCode())
                .set(9, e.errorDetail())
                .set(10, e.run())
                .add();
    }

    private static boolean addText(Query texts, Ended e, String kind, @Nullable String text) throws SQLException {
        if (text == null) {
            return false;
        }
        texts.set(1, e.job()).set(2, e.token()).set(3, kind).set(4, text).add();
        return true;
    }
}
