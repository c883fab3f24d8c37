package dev.windrow.store.sql.job;

import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job that is to be changed from outside, as it was read.
 *
 * @param id the job
 * @param state its state
 * @param lane its lane
 * @param token the token of its last attempt
 * @param used the number of attempts that count
 * @param openParents the number of parents for which it waits
 * @param worker the number of the actor that holds it, or null
 * @param startedAt when its handler was called; null if it was not
 * @param cancelRequested true if its holder has a request to cancel it
 * @param priority its priority
 * @param scheduledAt when it is due, or became ready
 * @param errorCode the code of its last failure, or null
 * @param finishedAt when it ended; null if it has not ended
 * @param key its dedupe key, or null
 * @param scope the scope of the key
 * @param concurrencyKey its concurrency key, or null
 * @param waitMillis how long it waits for external completion; null if it does not
 * @param failsAt when that wait times out; null if it has not begun
 * @param run the number of its run
 * @param dependent true if it is retried with a parent
 */
public record ChangedRow(
        long id,
        JobState state,
        long lane,
        long token,
        int used,
        int openParents,
        @Nullable Long worker,
        @Nullable Long startedAt,
        boolean cancelRequested,
        int priority,
        long scheduledAt,
        @Nullable String errorCode,
        @Nullable Long finishedAt,
        @Nullable DedupeKey key,
        Dedupe.@Nullable Scope scope,
        @Nullable String concurrencyKey,
        @Nullable Long waitMillis,
        @Nullable Long failsAt,
        int run,
        boolean dependent) {
    /** Reads a row. Its columns are in the order of the names above, then the type of the dedupe key and the run. */
    public static ChangedRow read(WriteTransaction tx, ResultSet row, boolean dependent) throws SQLException {
        String scope = row.getString(15);
        return new ChangedRow(
                /* id= */ row.getLong(1),
                /* state= */ JobState.valueOf(row.getString(2)),
                /* lane= */ row.getLong(3),
                /* token= */ row.getLong(4),
                /* used= */ row.getInt(5),
                /* openParents= */ row.getInt(6),
                /* worker= */ Rows.longOrNull(row, 7),
                /* startedAt= */ Rows.longOrNull(row, 8),
                /* cancelRequested= */ row.getInt(9) != 0,
                /* priority= */ row.getInt(10),
                /* scheduledAt= */ row.getLong(11),
                /* errorCode= */ row.getString(12),
                /* finishedAt= */ Rows.longOrNull(row, 13),
                /* key= */ DedupeKey.of(tx, row.getLong(3), row.getString(19), row.getString(14), row.getLong(1)),
                /* scope= */ scope == null ? null : Dedupe.Scope.valueOf(scope),
                /* concurrencyKey= */ row.getString(16),
                /* waitMillis= */ Rows.longOrNull(row, 17),
                /* failsAt= */ Rows.longOrNull(row, 18),
                /* run= */ row.getInt(20),
                /* dependent= */ dependent);
    }

    /** Returns the jobs among these that have ended without success. */
    public static List<Long> endedWithoutSuccess(List<ChangedRow> rows) {
        return rows.stream()
                .filter(row -> row.state.isFinished() && row.state != JobState.COMPLETED)
                .map(ChangedRow::id)
                .toList();
    }

    /** True if a retry takes its key again. */
    public boolean takesKeyAgain() {
        return scope == Dedupe.Scope.UNTIL_STARTED || scope == Dedupe.Scope.UNFINISHED;
    }

    /** Returns the transition for a change. */
    public Transition transition(Change.Verb verb) {
        return switch (verb) {
            case CANCEL -> Transition.CANCEL;
            case RETRY -> openParents > 0 || waitMillis != null ? Transition.RETRY_BLOCKED : Transition.RETRY;
            case COMPLETE -> Transition.COMPLETE_EXTERNALLY;
            case FAIL -> Transition.FAIL_EXTERNALLY;
            case TRIGGER -> Transition.PROMOTE;
            case DELETE -> Transition.DELETE;
            case MERGE_METADATA -> throw new IllegalStateException("a change of metadata is no transition");
        };
    }

    /** Returns the state after a change; null if it deletes the job. */
    public @Nullable JobState after(Change change) {
        return isRequest(change) || change.metadata() != null
                ? state
                : transition(change.verb()).to();
    }

    /** True if a change is a request to the holder, and no transition. */
    public boolean isRequest(Change change) {
        return change.verb() == Change.Verb.CANCEL && state == JobState.RUNNING;
    }

    /** Returns the reason for which a change is not possible in its state; null if it is possible. */
    public @Nullable String refusal(Change change) {
        if (change.verb() == Change.Verb.MERGE_METADATA) {
            LeaseToken holder = change.holder();
            return holder == null || (state == JobState.RUNNING && token == holder.token())
                    ? null
                    : "job %d is not held by this attempt any more: its metadata are not changed".formatted(id);
        }
        Transition transition = transition(change.verb());
        if (isRequest(change) || transition.isAllowedFrom(state)) {
            return null;
        }
        Set<JobState> from = EnumSet.copyOf(transition.from());
        if (change.verb() == Change.Verb.CANCEL) {
            from.add(JobState.RUNNING);
        }
        return "job %d is %s: %s is possible only from %s"
                .formatted(
                        id,
                        state,
                        change.verb().name().toLowerCase(Locale.ROOT),
                        String.join(", ", from.stream().map(JobState::name).toList()));
    }

    /** Returns the reason for which a job cannot be retried while another job holds its key. */
    public static String keyIsHeld(long job, DedupeKey key, long holder) {
        return "job %d cannot be retried: job %d holds its dedupe key '%s'".formatted(job, holder, key.key());
    }

    /** Returns the number of the running attempt. If none runs, the number of the run's attempts that count. */
    private int attempt() {
        return state == JobState.RUNNING ? used + 1 : used;
    }

    /** Returns the detail of the event of a change. */
    public @Nullable String eventDetail(Change change) {
        boolean fails = change.verb() == Change.Verb.FAIL;
        boolean retries = change.verb() == Change.Verb.RETRY;
        return JsonText.object(
                "attempt",
                fails ? attempt() : null,
                "run",
                fails ? Integer.valueOf(run) : retries ? run + 1 : null,
                "code",
                change.errorCode(),
                "fromStart",
                (change.fromStart() && !dependent) ? true : null,
                "reason",
                change.author().reason());
    }

    /**
     * Asks the holder of a running job to cancel it. The request is stored once, and the hint is repeated with each call. Returns false if the job
     * does not run any more.
     */
    public boolean requestCancel(WriteTransaction tx, Change change) throws SQLException {
        if (!cancelRequested) {
            long actor = tx.actor(change.actor());
            int requested = tx.statements()
                    .get(Statement.REQUEST_CANCEL)
                    .set(1, id)
                    .set(2, token)
                    .set(3, actor)
                    .update();
            if (requested != 1) {
                return false;
            }
            tx.event(id, tx.now(), EventKind.CANCEL_REQUESTED, actor, token, eventDetail(change));
        }
        tx.notices().cancelRequested(new LeaseToken(id, token));
        tx.wrote();
        return true;
    }
}
