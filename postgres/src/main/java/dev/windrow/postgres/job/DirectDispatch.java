package dev.windrow.postgres.job;

import dev.windrow.JobState;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.sql.writer.Submission;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The direct dispatch of a new job to a claim of the transaction that inserts it. It is enqueue and claim in one, with the events of both. The row of
 * the job is written once, and the claim index not at all.
 *
 * <p>A job with a dedupe key or a concurrency key is written before claims can take it. It is claimed like a waiting job, in the same transaction.
 *
 * <p>No job is overtaken that this transaction can see. Only a claim whose open lanes are all empty takes part, and it takes new jobs in claim order.
 * (Two transactions that commit at the same time have no order.) The remaining jobs wait like all other jobs.
 */
public final class DirectDispatch {
    /** The dispatch of transactions without claims. */
    public static final DirectDispatch NONE = new DirectDispatch(Map.of());

    /** The free slots of a claim, and the jobs that it got. */
    private static final class Room {
        private final Set<Integer> lanes;
        private final int worker;
        private final long leaseMillis;
        private int left;
        private final List<ClaimedJob> jobs = new ArrayList<>();

        Room(Set<Integer> lanes, int worker, Claim request) {
            this.lanes = lanes;
            this.worker = worker;
            this.leaseMillis = request.leaseMillis();
            this.left = request.limit();
        }
    }

    private final Map<Submission<Claimed>, Room> rooms;

    private DirectDispatch(Map<Submission<Claimed>, Room> rooms) {
        this.rooms = rooms;
    }

    /**
     * Finds the claims that may take new jobs at once.
     *
     * @param lanes the lanes of the new jobs
     */
    public static DirectDispatch to(PostgresTransaction tx, List<Submission<Claimed>> claims, Set<Integer> lanes)
            throws SQLException {
        Map<Submission<Claimed>, Room> rooms = new LinkedHashMap<>();
        Set<Integer> asked = new HashSet<>(lanes);
        asked.addAll(tx.concerned());
        for (Submission<Claimed> submission : claims) {
            Claim claim = (Claim) submission.command();
            Lanes served = tx.names.lanes(claim);
            if (claim.hasMinimum() || tx.isLimited(served)) {
                // Only claims check limits, rates and priorities.
                continue;
            }
            ClaimCursors.View view = tx.claimCursors.look(served);
            // This transaction may have made jobs ready before the cursors, because the cursors move only after its
            // commit.
            Claims.Look look = Claims.look(
                    tx,
                    new Claims.Seek(served, claim.minPriority(), false),
                    asked,
                    tx.readiedBefore(view) ? tx.claimCursors.lookAtHeads(served) : view);
            if (look.ready().isEmpty() && !look.empty().isEmpty()) {
                rooms.put(submission, new Room(look.empty(), (int) tx.worker(claim.worker()), claim));
            }
        }
        return new DirectDispatch(rooms);
    }

    /** Assigns new jobs to the claims that can take them. Returns all jobs in their order. */
    List<Enqueues.NewRow> take(PostgresTransaction tx, List<Enqueues.NewRow> jobs) {
        if (rooms.isEmpty()) {
            return jobs;
        }
        List<Enqueues.NewRow> order = new ArrayList<>(jobs);
        // All jobs that are ready now have the same time, and growing ids.
        order.sort(Comparator.comparingInt((Enqueues.NewRow job) -> job.row().priority())
                .reversed());
        Map<Long, Room> waitingClaims = new HashMap<>();
        for (Enqueues.NewRow job : order) {
            if (job.state() == JobState.PENDING) {
                for (Room room : rooms.values()) {
                    if (room.left > 0 && room.lanes.contains(job.lane())) {
                        room.left--;
                        waitingClaims.put(job.id(), room);
                        ClaimedJob claimed = ClaimedJob.first(
                                job.id(),
                                job.lane(),
                                job.row(),
                                tx.localTime(job.scheduledAt()),
                                tx.localTime(tx.now()));
                        room.jobs.add(claimed);
                        break;
                    }
                }
            }
        }
        List<Enqueues.NewRow> written = new ArrayList<>(jobs.size());
        for (Enqueues.NewRow job : jobs) {
            Room room = waitingClaims.get(job.id());
            written.add(room == null ? job : job.givenTo(room.worker, tx.now() + room.leaseMillis));
        }
        return written;
    }

    /** Returns the result of a claim that takes part: all new jobs for it in its open lanes. Returns null if it does not take part. */
    @Nullable public Claimed answer(PostgresTransaction tx, Submission<Claimed> claim) throws SQLException {
        Room room = rooms.get(claim);
        if (room == null) {
            return null;
        }
        if (room.left > 0) {
            tx.emptied(room.lanes);
        }
        return new Claimed(room.jobs, Claims.nextDue(tx), false);
    }
}
