package dev.windrow.postgres.job;

import dev.windrow.JobState;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.limit.LimitSql;
import dev.windrow.postgres.limit.LimitedClaim;
import dev.windrow.postgres.writer.Names;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.postgres.writer.Witness;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.job.ClaimedJobs;
import dev.windrow.store.sql.job.DedupeKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The verbs promote (SCHEDULED -> PENDING) and claim (PENDING -> RUNNING). */
public final class Claims {
    /** The most due jobs that one transaction promotes, so that a flood of them does not delay other commands. */
    private static final int PROMOTIONS = 1000;
    /**
     * The most additional jobs that a claim from several lanes reads. It reads up to twice as many jobs as it wants, because other processes may be
     * claiming some of them.
     */
    private static final int LOOK_AHEAD = 100;

    private Claims() {}

    /** Promotes due jobs, if there are any. */
    public static void promote(PostgresTransaction tx) throws SQLException {
        if (tx.claimsAhead()) {
            return;
        }
        Long due = tx.due();
        if (due == null || due > tx.now()) {
            return;
        }
        record Promoted(
                long job,
                int lane,
                ClaimCursors.Place place,
                @Nullable String key) {}
        List<Promoted> promoted = tx.statements()
                .get(JobSql.PROMOTE)
                .set(1, tx.now())
                .set(2, Integer.valueOf(PROMOTIONS))
                .set(3, tx.learned.due().view().from())
                .list(rows -> new Promoted(
                        rows.getLong(1),
                        rows.getInt(2),
                        new ClaimCursors.Place(-rows.getInt(3), rows.getLong(4), rows.getLong(1)),
                        rows.getString(5)));
        // Jobs with a key begin to wait for its permits in the order in which they were due.
        promoted.sort(Comparator.<Promoted>comparingLong(job -> job.place.at()).thenComparingLong(Promoted::job));
        for (Promoted job : promoted) {
            tx.moved(job.job, job.key, job.lane, JobState.SCHEDULED, JobState.PENDING, job.place);
        }
        tx.permits.touchDue();
        boolean keys = tx.permits.admit();
        if (!promoted.isEmpty()) {
            tx.lookForDue();
            return;
        }
        // Other processes are promoting or admitting the remaining due jobs now, so they count as done.
        Long next = tx.now() + 1;
        if (keys) {
            tx.lookForDue();
            Long found = tx.due();
            next = found == null ? null : Long.valueOf(Math.max(found, next));
        }
        tx.due(next);
    }

    /**
     * Claims the jobs of a request.
     *
     * @param claimCursors true to move the cursors after the claimed jobs; only one claim at a time may
     */
    public static Claimed claim(PostgresTransaction tx, Claim request, boolean claimCursors) throws SQLException {
        Lanes lanes = tx.names.lanes(request);
        ClaimCursors.View view = claimCursors ? tx.claimCursors.view(lanes) : tx.claimCursors.look(lanes);
        // This transaction may have made jobs ready before the cursors, because the cursors move only after its commit.
        if (!view.isFromHead() && tx.readiedBefore(view)) {
            view = claimCursors ? tx.claimCursors.heads(lanes) : tx.claimCursors.lookAtHeads(lanes);
        }
        LimitedClaim limited = tx.isLimitedForClaim(lanes) ? new LimitedClaim(tx, lanes, request.minPriority()) : null;
        Wanted wanted = new Wanted(request, lanes, limited);
        List<ClaimedJob> jobs = new ArrayList<>();
        Map<Integer, ClaimCursors.Place> last = new HashMap<>();
        take(tx, wanted, view, jobs, last);
        Left left =
                limited == null ? takeFromHead(tx, wanted, view, jobs) : takeLimited(tx, wanted, limited, view, jobs);
        if (claimCursors) {
            ClaimCursors.View viewed = view;
            // The cursors of these lanes do not move, because the skipped rows would be before them.
            last.keySet().removeAll(left.waiting);
            tx.afterwards(() -> viewed.claimed(last));
        }
        tx.emptied(left.empty);
        if (jobs.size() < request.limit() && !request.hasMinimum()) {
            tx.passedOver.none(lane -> lanes.contains(lane) && !left.waiting.contains(lane));
        }
        Long due = tx.due();
        if (!left.waiting.isEmpty()) {
            due = sooner(due, tx.passedOver.lookAgainAt(left.waiting, tx.now()));
        }
        if (!left.opensAt.isEmpty()) {
            // The workers that are notified of these jobs need the time too, because this worker may have no free slots
            // then.
            if (!jobs.isEmpty()) {
                tx.opened(left.opensAt.keySet());
            }
            due = sooner(due, Collections.min(left.opensAt.values()));
        }
        return new Claimed(jobs, due == null ? null : Long.valueOf(tx.clock.toLocal(due)), false);
    }

    /**
     * The parameters of a claim.
     *
     * @param lanes the known lanes that it may claim from
     * @param limited null if no limit or rate applies to its lanes
     */
    private record Wanted(
            Claim request, Lanes lanes, @Nullable LimitedClaim limited) {
        boolean isOfSeveral() {
            return lanes.count() > 1 && limited == null;
        }
    }

    /**
     * The lanes of a claim after it. It covers only lanes that the claim may use. It covers none if the claim got as many jobs as it asked for.
     *
     * @param empty lanes without ready jobs, among the lanes that this transaction would notify of
     * @param waiting lanes with ready jobs that another transaction had locked
     * @param opensAt lanes with jobs that only a rate or a locked limit holds back, and the start time of these jobs by the server's clock
     */
    public record Left(Set<Integer> empty, Set<Integer> waiting, Map<Integer, Long> opensAt) {
        static final Left UNKNOWN = new Left(Set.of(), Set.of(), Map.of());
    }

    /**
     * The jobs that a query looks for.
     *
     * @param lanes their lanes
     * @param minPriority their lowest priority
     * @param limited true to include lanes with limits
     */
    public record Seek(Lanes lanes, int minPriority, boolean limited) {}

    /**
     * The lanes of a claim that are not paused, read without locks.
     *
     * @param ready lanes with ready jobs of its priorities
     * @param empty lanes without ready jobs of any priority, among the lanes that were asked for
     */
    public record Look(Set<Integer> ready, Set<Integer> empty) {}

    /**
     * Queries the lanes without locks, and so sees jobs that a claim skips as locked.
     *
     * @param asked lanes that the result names if they are empty
     */
    public static Look look(PostgresTransaction tx, Seek seek, Collection<Integer> asked, ClaimCursors.View view)
            throws SQLException {
        Look look = new Look(new HashSet<>(), new HashSet<>());
        Set<Integer> below = new HashSet<>();
        PostgresQuery query = tx.statements()
                .get(JobSql.WAITING_LANES)
                .array(6, "int4", asked.stream().filter(seek.lanes::contains).toArray());
        view.bind(query, 1);
        long begin = System.nanoTime();
        try (ResultSet rows = query.rows()) {
            while (rows.next()) {
                if (seek.limited || !rows.getBoolean(3)) {
                    Set<Integer> low = rows.getInt(4) < seek.minPriority ? below : look.ready;
                    (rows.getBoolean(2) ? low : look.empty).add(rows.getInt(1));
                }
            }
        }
        look.empty.removeAll(look.ready);
        look.empty.removeAll(below);
        tx.claimCursors.looked(view, System.nanoTime() - begin);
        return look;
    }

    private static long sooner(@Nullable Long due, long other) {
        return due == null ? other : Math.min(due, other);
    }

    /** Claims the jobs before the cursors, if a claim from the cursors got too few. Returns the lanes after it. */
    private static Left takeFromHead(
            PostgresTransaction tx, Wanted wanted, ClaimCursors.View view, List<ClaimedJob> jobs) throws SQLException {
        Claim request = wanted.request;
        if (jobs.size() == request.limit()) {
            return Left.UNKNOWN;
        }
        ClaimCursors.View heads = tx.claimCursors.lookAtHeads(wanted.lanes);
        boolean mayLookAtHead = tx.claimCursors.mayLookAtHead();
        Left left = left(tx, wanted, mayLookAtHead ? heads : view);
        if (left.waiting.isEmpty() || view.isFromHead() || !mayLookAtHead) {
            return left;
        }
        take(tx, wanted, heads, jobs, new HashMap<>());
        return jobs.size() == request.limit() ? Left.UNKNOWN : left(tx, wanted, heads);
    }

    private static Left left(PostgresTransaction tx, Wanted wanted, ClaimCursors.View view) throws SQLException {
        Seek seek = new Seek(wanted.lanes, wanted.request.minPriority(), false);
        Look look = look(tx, seek, tx.concerned(), view);
        return new Left(look.empty, look.ready, Map.of());
    }

    private static Left takeLimited(
            PostgresTransaction tx, Wanted wanted, LimitedClaim limited, ClaimCursors.View view, List<ClaimedJob> jobs)
            throws SQLException {
        int limit = wanted.request.limit();
        if (jobs.size() < limit && !view.isFromHead() && tx.claimCursors.mayLookAtHead()) {
            take(tx, wanted, tx.claimCursors.lookAtHeads(wanted.lanes), jobs, new HashMap<>());
        }
        limited.started();
        return limited.left(
                jobs.size() < limit,
                tx.claimCursors.mayLookAtHead() ? tx.claimCursors.lookAtHeads(wanted.lanes) : view);
    }

    /** Returns the time at which the next job is due, by the clock of this process; null if none is scheduled. */
    static @Nullable Long nextDue(PostgresTransaction tx) throws SQLException {
        Long due = tx.due();
        return due == null ? null : Long.valueOf(tx.clock.toLocal(due));
    }

    private static void take(
            PostgresTransaction tx,
            Wanted wanted,
            ClaimCursors.View view,
            List<ClaimedJob> jobs,
            Map<Integer, ClaimCursors.Place> last)
            throws SQLException {
        Claim request = wanted.request;
        List<DedupeKey> keys = new ArrayList<>();
        Map<Long, Integer> replaceable = new HashMap<>();
        boolean alone = tx.hasBegun();
        long begin = System.nanoTime();
        int first = request.limit() - jobs.size();
        int width = first + Math.min(first, LOOK_AHEAD);
        boolean more = true;
        while (more && jobs.size() < request.limit()) {
            more = false;
            Long bound = tx.nowOrServers();
            PostgresQuery claim = claim(tx, wanted, view, bound, request.limit() - jobs.size(), width);
            if (claim == null) {
                return;
            }
            try (ResultSet rows = claim.rows()) {
                while (rows.next()) {
                    // The claim has read as many jobs as it could, and other transactions had locked most of them.
                    // There may be more after them.
                    more = wanted.isOfSeveral() && rows.getInt(18) == width;
                    long id = rows.getLong(1);
                    if (rows.wasNull()) {
                        break;
                    }
                    if (tx.number() == null) {
                        tx.number(rows.getString(17));
                    }
                    int lane = rows.getInt(3);
                    Names.Lane name = tx.names.laneOf(tx.statements(), lane);
                    long scheduledAt = rows.getLong(5);
                    jobs.add(ClaimedJobs.read(tx, rows, lane, name.queue(), name.type(), 0));
                    if (wanted.limited == null && rows.getString(13) != null) {
                        replaceable.put(id, jobs.size() - 1);
                    }
                    DedupeKey key = DedupeKey.of(tx, lane, rows.getString(15), rows.getString(13), id);
                    if (key != null) {
                        keys.add(key);
                    }
                    last.merge(lane, new ClaimCursors.Place(-rows.getInt(4), scheduledAt, id), Claims::further);
                    tx.wroteJob(Witness.Kind.CLAIM, id, rows.getLong(2), bound == null ? tx.now() : bound);
                    tx.moved(lane, JobState.PENDING, JobState.RUNNING, null);
                }
            }
            width *= 4;
        }
        if (alone) {
            tx.claimCursors.looked(view, System.nanoTime() - begin);
        } else {
            tx.claimCursors.lookedWithOthers(view, System.nanoTime() - begin);
        }
        if (!replaceable.isEmpty()) {
            readInputs(tx, jobs, replaceable);
        }
        Keys.giveUp(tx, DedupeSql.KEYS_STARTED, keys);
    }

    /** Returns the statement that claims at this time, or with null at that of the server; null if there is nothing to claim. */
    private static @Nullable PostgresQuery claim(
            PostgresTransaction tx, Wanted wanted, ClaimCursors.View view, @Nullable Long at, int limit, int width)
            throws SQLException {
        Claim request = wanted.request;
        int worker = (int) tx.worker(request.worker());
        if (wanted.limited != null) {
            List<Long> chosen = wanted.limited.choose(view, limit);
            return chosen.isEmpty()
                    ? null
                    : tx.statements()
                            .get(LimitSql.CLAIM_THESE)
                            .ids(1, chosen)
                            .set(2, tx.now())
                            .set(3, Integer.valueOf(worker))
                            .set(4, tx.now() + request.leaseMillis());
        }
        if (wanted.isOfSeveral()) {
            PostgresQuery claim = tx.first(List.of(JobSql.CLAIM_OF_SEVERAL))
                    .set(6, at)
                    .set(7, Integer.valueOf(limit))
                    .set(8, Integer.valueOf(worker))
                    .set(9, request.leaseMillis())
                    .set(10, Integer.valueOf(width))
                    .set(11, Integer.valueOf(-request.minPriority()));
            view.bind(claim, 1);
            return claim;
        }
        PostgresQuery claim = tx.first(List.of(JobSql.CLAIM))
                .texts(1, request.queues())
                .texts(2, request.types())
                .set(3, at)
                .set(8, Integer.valueOf(limit))
                .set(9, Integer.valueOf(worker))
                .set(10, request.leaseMillis())
                .set(11, Integer.valueOf(-request.minPriority()));
        view.bindCursors(claim, 4);
        return claim;
    }

    private static ClaimCursors.Place further(ClaimCursors.Place a, ClaimCursors.Place b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /**
     * Reads inputs again that another transaction may have replaced between the begin of the claiming statement and the lock of the job.
     *
     * @param places the positions in the list, by id
     */
    private static void readInputs(PostgresTransaction tx, List<ClaimedJob> jobs, Map<Long, Integer> places)
            throws SQLException {
        try (ResultSet rows = tx.statements()
                .get(JobSql.CLAIMED_INPUTS)
                .ids(1, places.keySet())
                .rows()) {
            while (rows.next()) {
                int place = Objects.requireNonNull(places.remove(rows.getLong(1)));
                ClaimedJob job = jobs.get(place);
                jobs.set(
                        place,
                        new ClaimedJob(
                                /* id= */ job.id(),
                                /* token= */ job.token(),
                                /* lane= */ job.lane(),
                                /* queue= */ job.queue(),
                                /* type= */ job.type(),
                                /* name= */ rows.getString(2),
                                /* payload= */ rows.getString(3),
                                /* run= */ job.run(),
                                /* used= */ job.used(),
                                /* maxAttempts= */ job.maxAttempts(),
                                /* timeoutMillis= */ Rows.longOrNull(rows, 4),
                                /* retryPolicy= */ rows.getString(5),
                                /* traceparent= */ rows.getString(6),
                                /* dedupeKey= */ job.dedupeKey(),
                                /* dedupeType= */ job.dedupeType(),
                                /* concurrencyKey= */ job.concurrencyKey(),
                                /* scheduledAtMillis= */ job.scheduledAtMillis(),
                                /* claimedAtMillis= */ job.claimedAtMillis()));
            }
        }
        if (!places.isEmpty()) {
            throw new SQLException("no input row exists for the jobs " + places.keySet());
        }
    }
}
