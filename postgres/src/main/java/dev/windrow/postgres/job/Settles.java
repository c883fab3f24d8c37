package dev.windrow.postgres.job;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.workflow.Chains;
import dev.windrow.postgres.workflow.Dependents;
import dev.windrow.postgres.workflow.WorkflowSql;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.postgres.writer.Witness;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.job.DedupeKey;
import dev.windrow.store.sql.job.Ended;
import dev.windrow.store.sql.payload.Blobs;
import dev.windrow.store.sql.step.Steps;
import dev.windrow.store.step.StepAnswer;
import dev.windrow.store.step.StepWrite;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The verbs of the holder: started and settle. Each is guarded by (id, RUNNING, token). */
public final class Settles {
    /** The parameters for every target state. */
    private static final Columns<Ended> COMMON = new Columns<Ended>()
            .longs(Ended::job)
            .longs(Ended::token)
            .ints(end -> end.outcome().countsAsAttempt() ? 1 : 0)
            .longs(Ended::startedAt);

    private static final Columns<Ended> FINISHED = new Columns<Ended>().longs(Ended::finishedAt);
    /** A detail without a code is a reason and not a failure. The job keeps the detail of its last failure. */
    private static final Columns<Ended> ERRORS =
            new Columns<Ended>().texts(Ended::errorCode).texts(Ended::failureDetail);

    private static final Columns<Ended> DUE = new Columns<Ended>().longs(Ended::nextRunAt);

    private static final Columns<Ended> RESULTS = new Columns<Ended>().texts(Ended::result);
    private static final Columns<Text> TEXTS = new Columns<Text>()
            .longs(Text::job)
            .longs(Text::token)
            .texts(Text::kind)
            .texts(Text::text);

    private static final Columns<Map.Entry<LeaseToken, Long>> STARTS = new Columns<Map.Entry<LeaseToken, Long>>()
            .longs(start -> start.getKey().id())
            .longs(start -> start.getKey().token())
            .longs(Map.Entry::getValue);

    private static final Columns<LeaseToken> LEASES =
            new Columns<LeaseToken>().longs(LeaseToken::id).longs(LeaseToken::token);

    private Settles() {}

    /** A text that is too long for the row of its attempt. */
    private record Text(long job, long token, String kind, String text) {}

    /** Records the starts that are still true. */
    public static void started(PostgresTransaction tx, List<Started> starts) throws SQLException {
        if (starts.isEmpty()) {
            return;
        }
        Map<LeaseToken, Long> times = new LinkedHashMap<>();
        starts.forEach(start -> times.put(start.leaseToken(), tx.clock.toServer(start.atMillis())));
        PostgresQuery mark = tx.first(List.of(JobSql.MARK_STARTED));
        leaseTokens(mark.bind(1, STARTS, List.copyOf(times.entrySet())))
                .forEach(start -> tx.wroteJob(
                        Witness.Kind.START, start.id(), start.token(), Objects.requireNonNull(times.get(start))));
    }

    /** Locks the rows of the jobs, and returns the holders that still hold them. */
    public static Set<LeaseToken> held(PostgresTransaction tx, List<LeaseToken> leaseTokens) throws SQLException {
        return leaseTokens(tx.statements().get(JobSql.STILL_HELD).bind(1, LEASES, leaseTokens));
    }

    /** Writes a step. Returns empty, and writes nothing, if the holder has lost the job. */
    public static Optional<StepAnswer> writeStep(PostgresTransaction tx, StepWrite step) throws SQLException {
        return held(tx, List.of(step.leaseToken())).isEmpty() ? Optional.empty() : Optional.of(Steps.write(tx, step));
    }

    /** Reads the ids and tokens that a statement returns. */
    public static Set<LeaseToken> leaseTokens(PostgresQuery query) throws SQLException {
        Set<LeaseToken> leaseTokens = new HashSet<>();
        try (ResultSet rows = query.rows()) {
            while (rows.next()) {
                leaseTokens.add(new LeaseToken(rows.getLong(1), rows.getLong(2)));
            }
        }
        return leaseTokens;
    }

    /** Settles attempts. Returns which settlements were applied. */
    public static boolean[] settle(PostgresTransaction tx, List<Settle> settlements) throws SQLException {
        tx.chains.look(settlements);
        List<Ended> all = new ArrayList<>(settlements.size());
        for (Settle s : settlements) {
            all.add(Ended.of(tx, s));
        }
        boolean[] applied = apply(tx, all);
        tx.afterwards(() -> {
            for (int i = 0; i < applied.length; i++) {
                if (applied[i]) {
                    tx.minutes.ended(settlements.get(i), all.get(i).finishedAt());
                }
            }
        });
        return applied;
    }

    /** Applies ends of attempts in bulk: one guarded update for each target state, then the rows that belong to the applied ends. */
    static boolean[] apply(PostgresTransaction tx, List<Ended> all) throws SQLException {
        Map<JobState, List<Integer>> byTarget = new EnumMap<>(JobState.class);
        for (int i = 0; i < all.size(); i++) {
            JobState to = Objects.requireNonNull(all.get(i).transition().to());
            byTarget.computeIfAbsent(to, k -> new ArrayList<>()).add(i);
        }
        Applied applied =
                new Applied(new boolean[all.size()], new long[all.size()], new LinkedHashMap<>(), new HashSet<>());
        for (Map.Entry<JobState, List<Integer>> group : byTarget.entrySet()) {
            update(tx, group.getKey(), all, group.getValue(), applied);
            if (!group.getKey().isFinished()) {
                cancelInstead(tx, all, group.getValue(), applied);
            }
        }
        collect(tx, all, applied);
        return applied.ends;
    }

    /**
     * The effect of the updates.
     *
     * @param ends the ends that were applied, by index
     * @param claimed the time of the claim of each, by index
     * @param places the positions of jobs that can be claimed again
     * @param parents the jobs that have children to release
     */
    @SuppressWarnings("ArrayRecordComponent") // made to be filled in, and never compared
    private record Applied(boolean[] ends, long[] claimed, Map<Long, ClaimCursors.Place> places, Set<Long> parents) {}

    private static void update(
            PostgresTransaction tx, JobState to, List<Ended> all, List<Integer> indexes, Applied applied)
            throws SQLException {
        // In order of ids, as all transactions take locks. Of two equal ends the first one is applied.
        Set<LeaseToken> seen = new HashSet<>();
        List<Ended> ends = indexes.stream()
                .map(all::get)
                .filter(end -> seen.add(end.leaseToken()))
                .sorted(Comparator.comparingLong(Ended::job))
                .toList();
        boolean results = to == JobState.COMPLETED && ends.stream().anyMatch(end -> end.result() != null);
        String sql = results ? JobSql.SETTLE_WITH_RESULTS : statement(to);
        PostgresQuery update = tx.first(to.isFinished() ? List.of(sql, WorkflowSql.HAVE_CHILDREN) : List.of(sql));
        update.bind(1, COMMON, ends);
        if (results) {
            update.bind(6, RESULTS, ends);
        }
        if (to.isFinished()) {
            update.bind(5, FINISHED, ends);
            update.ids(1 + PostgresQuery.NEXT, ends.stream().map(Ended::job).toList());
        }
        if (to == JobState.FAILED || to == JobState.CANCELLED || to == JobState.SCHEDULED) {
            update.bind(6, ERRORS, ends);
        }
        if (to == JobState.SCHEDULED || to == JobState.BLOCKED) {
            update.bind(8, DUE, ends);
        }
        Map<LeaseToken, Long> ended = new HashMap<>();
        try (ResultSet rows = update.first()) {
            while (rows.next()) {
                ended.put(new LeaseToken(rows.getLong(1), rows.getLong(2)), rows.getLong(3));
                if (to == JobState.PENDING) {
                    applied.places.put(
                            rows.getLong(1), new ClaimCursors.Place(-rows.getInt(4), rows.getLong(5), rows.getLong(1)));
                }
            }
        }
        if (to.isFinished()) {
            try (ResultSet rows = update.next()) {
                while (rows.next()) {
                    applied.parents.add(rows.getLong(1));
                }
            }
        }
        for (int i : indexes) {
            Long at = ended.remove(all.get(i).leaseToken());
            applied.ends[i] = at != null;
            applied.claimed[i] = at == null ? 0 : at;
        }
    }

    /** Cancels jobs whose ends were refused because their cancellation was requested. Has no effect if the holder has lost the job. */
    private static void cancelInstead(PostgresTransaction tx, List<Ended> all, List<Integer> indexes, Applied applied)
            throws SQLException {
        List<Integer> refused = indexes.stream().filter(i -> !applied.ends[i]).toList();
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

    /**
     * Collects the data of the applied ends that the transaction records with its commit. Writes the rest: texts, chains, keys and children.
     */
    private static void collect(PostgresTransaction tx, List<Ended> all, Applied applied) throws SQLException {
        List<Text> texts = new ArrayList<>();
        Map<Long, JobState> finals = new LinkedHashMap<>();
        List<DedupeKey> keys = new ArrayList<>();
        List<Chains.Next> nexts = new ArrayList<>();
        for (int i = 0; i < applied.ends.length; i++) {
            if (!applied.ends[i]) {
                continue;
            }
            Ended e = all.get(i);
            JobState to = Objects.requireNonNull(e.transition().to());
            if (to == JobState.COMPLETED) {
                Blobs.adopt(tx, e.result(), e.job(), Blobs.Kind.RESULT);
            }
            addText(texts, e, "OUTPUT", e.output());
            addText(texts, e, "STACK_TRACE", e.stackTrace());
            addText(texts, e, "TRACE", e.traceparent());
            if (e.isEventInJobRow()) {
                tx.wroteJob(Witness.Kind.COMPLETION, e.job(), e.token(), e.finishedAt());
            }
            int lane = (int) e.lane();
            EventKind event = e.transition().event();
            if (event != null && !e.isEventInJobRow()) {
                tx.event(e.job(), e.finishedAt(), event, e.actor(), e.token(), e.eventDetail());
            }
            tx.moved(e.job(), e.concurrencyKey(), lane, JobState.RUNNING, to, applied.places.get(e.job()));
            if (to == JobState.FAILED) {
                tx.failed(e.errorCode(), e.finishedAt());
            }
            if (to == JobState.SCHEDULED) {
                tx.dueAt(Objects.requireNonNull(e.nextRunAt()));
            } else if (e.awaits() != null) {
                Steps.parked(tx, new Steps.Parked(e.job(), e.lane(), e.token(), e.concurrencyKey()), e.awaits());
            } else if (to == JobState.BLOCKED && e.nextRunAt() != null) {
                tx.notices().waitsUntil(e.nextRunAt());
            }
            tx.attemptEnded(lane, e.attempt());
            if (!e.isInJobRow()) {
                tx.attempt(new PostgresTransaction.Attempt(
                        /* job= */ e.job(),
                        /* token= */ e.token(),
                        /* startedAt= */ e.startedAt(),
                        /* finishedAt= */ e.finishedAt(),
                        /* attempt= */ e.attempt(),
                        /* worker= */ (int) e.worker(),
                        /* outcome= */ e.outcome(),
                        /* errorCode= */ e.errorCode(),
                        /* errorDetail= */ e.errorDetail(),
                        /* run= */ e.run(),
                        /* claimedAt= */ applied.claimed[i]));
            }
            HistoryTruncation.ended(tx, e.job(), e.token());
            if (to.isFinished()) {
                finals.put(e.job(), to);
                tx.notices().finished(e.job(), to);
                if (e.key() != null) {
                    keys.add(e.key());
                }
                if (e.next() != null) {
                    nexts.add(new Chains.Next(e.job(), e.key(), e.next()));
                }
            }
        }
        if (!texts.isEmpty()) {
            PostgresQuery insert = tx.statements().get(JobSql.INSERT_ATTEMPT_TEXTS);
            insert.bind(1, TEXTS, texts);
            insert.update();
        }
        tx.chains.writeNext(nexts);
        Keys.giveUp(tx, DedupeSql.KEYS_ENDED, keys);
        finals.keySet().retainAll(applied.parents);
        Dependents.release(tx, finals);
    }

    private static void addText(List<Text> texts, Ended e, String kind, @Nullable String text) {
        if (text != null) {
            texts.add(new Text(e.job(), e.token(), kind, text));
        }
    }
}
