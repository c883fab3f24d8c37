package dev.windrow.postgres.job;

import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.postgres.payload.MetadataSql;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.KeyHolder;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.job.DedupeKey;
import dev.windrow.store.sql.payload.Blobs;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The verb enqueue for jobs with dedupe keys: each is written, or is represented by the holder of its key. It works in rounds. If another transaction
 * takes a key that was free, the next round reads the key again.
 */
public final class KeyedEnqueues {
    private final PostgresTransaction tx;
    private final Enqueues rows;
    private final List<JobRow> jobs;
    private final Map<Long, JobState> parentStates;
    private final long[] ids;
    private final @Nullable EnqueuedJob[] answers;

    private KeyedEnqueues(PostgresTransaction tx, Enqueues rows, List<JobRow> jobs, Map<Long, JobState> parentStates) {
        this.tx = tx;
        this.rows = rows;
        this.jobs = jobs;
        this.parentStates = parentStates;
        this.ids = new long[jobs.size()];
        this.answers = new @Nullable EnqueuedJob[jobs.size()];
    }

    /** Adds the rows, some of which have keys. Returns the results in the order of the rows. {@link Enqueues#flush} writes the new jobs. */
    public static List<EnqueuedJob> add(
            PostgresTransaction tx, Enqueues rows, List<JobRow> jobs, Map<Long, JobState> parentStates)
            throws SQLException {
        KeyedEnqueues all = new KeyedEnqueues(tx, rows, jobs, parentStates);
        List<Integer> open = new ArrayList<>();
        for (int i = 0; i < all.ids.length; i++) {
            all.ids[i] = tx.nextId();
            if (jobs.get(i).dedupe() == null) {
                all.answers[i] = rows.insert(all.ids[i], jobs.get(i), rows.runAt(jobs.get(i)), parentStates);
            } else {
                open.add(i);
            }
        }
        while (!open.isEmpty()) {
            all.round(open);
            open.removeIf(i -> all.answers[i] != null);
        }
        List<EnqueuedJob> answers =
                Arrays.stream(all.answers).map(Objects::requireNonNull).toList();
        for (int i = 0; i < all.ids.length; i++) {
            if (answers.get(i).deduplicated()) {
                Blobs.drop(tx, jobs.get(i).payload());
            }
        }
        return answers;
    }

    private Dedupe dedupe(int i) {
        return Objects.requireNonNull(jobs.get(i).dedupe());
    }

    private DedupeKey.Name name(int i) {
        return new DedupeKey.Name(jobs.get(i).type(), dedupe(i).key());
    }

    private void round(List<Integer> open) throws SQLException {
        Map<DedupeKey.Name, Integer> first = new LinkedHashMap<>();
        for (int i : open) {
            first.putIfAbsent(name(i), i);
        }
        Map<DedupeKey.Name, KeyHolder> holders = Keys.read(tx, first.keySet());
        if (holders.values().stream().anyMatch(holder -> holder.state() == null) && rows.areUnwritten()) {
            // The holder may be a job of this transaction that is not written yet.
            rows.flush(DirectDispatch.NONE);
            holders = Keys.read(tx, first.keySet());
        }
        List<Keys.Wanted> wanted = new ArrayList<>();
        for (Map.Entry<DedupeKey.Name, Integer> each : first.entrySet()) {
            decide(each.getKey(), each.getValue(), holders.get(each.getKey()), wanted);
        }
        Set<DedupeKey.Name> taken = Keys.take(tx, wanted);
        for (Keys.Wanted each : wanted) {
            if (taken.contains(each.name())) {
                int i = Objects.requireNonNull(first.get(each.name()));
                answers[i] = rows.insert(ids[i], jobs.get(i), dueAt(i, each.from()), parentStates);
            }
        }
        for (int i : open) {
            EnqueuedJob before = answers[Objects.requireNonNull(first.get(name(i)))];
            if (answers[i] == null && before != null && dedupe(i).strategy() == Dedupe.Strategy.KEEP) {
                answers[i] = new EnqueuedJob(before.id(), before.state(), true);
            }
        }
    }

    private void decide(DedupeKey.Name name, int i, @Nullable KeyHolder holder, List<Keys.Wanted> wanted)
            throws SQLException {
        KeyHolder.Verdict verdict = holder == null ? KeyHolder.Verdict.TAKE : holder.verdict(dedupe(i), tx.now());
        switch (verdict) {
            case TAKE -> {
                if (holder == null || stays(i, holder)) {
                    wanted.add(new Keys.Wanted(
                            name,
                            ids[i],
                            dedupe(i).scope(),
                            KeyHolder.expiresAtMillis(dedupe(i), dueAt(i, holder), tx.now()),
                            holder));
                }
            }
            case KEEP -> {
                KeyHolder kept = Objects.requireNonNull(holder);
                answers[i] = new EnqueuedJob(kept.job(), kept.reportedState(), true);
            }
            case CHANGE -> answers[i] = replace(name, i, Objects.requireNonNull(holder));
        }
    }

    /**
     * True if a holder is as it was read, and stays so until its key is taken. An ended holder of a throttled key is locked first. An operator may be
     * retrying it in a transaction that locks its row but does not write its key. With a throttled key it matters that the job waits again. If the
     * result is false, the key is read again.
     */
    private boolean stays(int i, KeyHolder seen) throws SQLException {
        JobState state = seen.state();
        if (dedupe(i).strategy() != Dedupe.Strategy.THROTTLE || state == null || !state.isFinished()) {
            return true;
        }
        try (ResultSet row =
                tx.statements().get(DedupeSql.LOCK_HOLDER).set(1, seen.job()).rows()) {
            return row.next() && state.name().equals(row.getString(1));
        }
    }

    private long dueAt(int i, @Nullable KeyHolder holder) {
        Long due = KeyHolder.dueMillis(dedupe(i), holder, tx.now());
        return due == null ? rows.runAt(jobs.get(i)) : due;
    }

    /**
     * Replaces the work and the due time of the holder. Locks its row first, because only then is it certain that it waits and holds the key. Returns
     * null if it no longer holds the key.
     */
    private @Nullable EnqueuedJob replace(DedupeKey.Name name, int i, KeyHolder seen) throws SQLException {
        JobState from;
        int lane;
        long token;
        long scheduledAt;
        String concurrencyKey;
        boolean parked;
        rows.flush(DirectDispatch.NONE);
        try (ResultSet row =
                tx.statements().get(DedupeSql.LOCK_HOLDER).set(1, seen.job()).rows()) {
            if (!row.next()) {
                return null;
            }
            from = JobState.valueOf(row.getString(1));
            parked = "EVENT".equals(row.getString(2));
            lane = row.getInt(3);
            token = row.getLong(4);
            scheduledAt = row.getLong(5);
            concurrencyKey = row.getString(6);
        }
        if (!Keys.holds(tx, name, seen.job())) {
            return null;
        }
        KeyHolder holder = new KeyHolder(
                /* job= */ seen.job(),
                /* scope= */ seen.scope(),
                /* expiresAtMillis= */ seen.expiresAtMillis(),
                /* state= */ from,
                /* parked= */ parked,
                /* scheduledAtMillis= */ scheduledAt,
                /* claimedAtMillis= */ seen.claimedAtMillis(),
                /* continues= */ seen.continues());
        if (holder.verdict(dedupe(i), tx.now()) != KeyHolder.Verdict.CHANGE) {
            return new EnqueuedJob(holder.job(), from, true);
        }
        JobRow job = jobs.get(i);
        long runAt = dueAt(i, holder);
        boolean later = runAt > tx.now();
        JobState to = from == JobState.BLOCKED ? from : later ? JobState.SCHEDULED : JobState.PENDING;
        // A job that is ready already keeps its position in the order.
        long at = later ? runAt : from == JobState.PENDING ? scheduledAt : tx.stamp();
        write(holder.job(), job, from, to, later || to != JobState.BLOCKED ? Long.valueOf(at) : null);
        if (to != JobState.BLOCKED) {
            ClaimCursors.Place place = new ClaimCursors.Place(-job.priority(), at, holder.job());
            tx.left(lane, from);
            if (job.concurrencyKey() != null && to == JobState.PENDING) {
                tx.enteredHeld(lane);
            } else {
                tx.entered(lane, to, to == JobState.PENDING ? place : null);
            }
        }
        tx.permits.replaced(holder.job(), concurrencyKey, job.concurrencyKey(), job.priority(), from, to);
        if (to == JobState.SCHEDULED) {
            tx.dueAt(at);
        }
        tx.event(
                holder.job(),
                tx.now(),
                EventKind.REPLACED,
                tx.actor(job.actor()),
                token,
                later ? JsonText.object("due", JsonText.time(runAt)) : null);
        return new EnqueuedJob(holder.job(), to, true);
    }

    private void write(long id, JobRow job, JobState from, JobState to, @Nullable Long at) throws SQLException {
        int updated = tx.statements()
                .get(DedupeSql.REPLACE)
                .set(1, id)
                .set(2, from.name())
                .set(3, to.name())
                .set(4, Integer.valueOf(job.priority()))
                .set(5, at)
                .set(6, Integer.valueOf(job.maxAttempts()))
                .update();
        if (updated != 1) {
            throw new SQLException("job " + id + " was changed by another transaction at the same time");
        }
        // A long payload is deleted in batches.
        tx.statements().get(JobSql.LEAVE_LONG_BLOBS).ids(1, List.of(id)).update();
        tx.statements()
                .get(DedupeSql.REPLACE_INPUT)
                .set(1, id)
                .set(2, job.payload())
                .set(3, job.timeoutMillis())
                .set(4, job.name())
                .set(5, job.retryPolicy())
                .set(6, job.traceparent())
                .update();
        Blobs.adopt(tx, job.payload(), id, Blobs.Kind.PAYLOAD);
        tx.statements().get(DedupeSql.DELETE_TAGS).set(1, id).update();
        tx.statements().get(MetadataSql.DELETE_METADATA).set(1, id).update();
        rows.addTagsAndMetadata(id, job);
    }
}
