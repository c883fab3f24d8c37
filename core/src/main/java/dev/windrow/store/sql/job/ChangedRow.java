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
 * @param token of its last attempt
 * @param used attempts that it has used up
 * @param openParents parents that it waits for
 * @param worker the number of the actor that has it; null: none
 * @param startedAt when its handler was called; null: it was not
 * @param cancelRequested true if its holder was asked to cancel it
 * @param priority its priority
 * @param scheduledAt when it is due, or became ready
 * @param errorCode the code of its last failure; null: none
 * @param finishedAt when it ended; null: it has not
 * @param key its dedupe key; null: none
 * @param scope of the key
 * @param concurrencyKey its concurrency key; null: none
 * @param waitMillis how long it waits for external completion; null: it does not
 * @param failsAt when that wait runs out of time; null: it has not begun
 * @param dependent true if it comes back with a parent
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
        boolean dependent) {
    /** Reads a row, whose columns are in the order of the names above; the type of the dedupe key is the last one. */
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
                /* dependent= */ dependent);
    }

    /** Those of these jobs that have ended, but not with success. */
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

    /** The transition that a change is. */
    public Transition transition(Change.Verb verb) {
        return switch (verb) {
            case CANCEL -> Transition.CANCEL;
            case RETRY -> openParents > 0 || waitMillis != null ? Transition.RETRY_BLOCKED : Transition.RETRY;
            case COMPLETE -> Transition.COMPLETE_EXTERNALLY;
            case FAIL -> Transition.FAIL_EXTERNALLY;
            case TRIGGER -> Transition.PROMOTE;
            case DISCARD -> Transition.DISCARD;
        };
    }

    /** True if a change is a request to the holder, and no transition. */
    public boolean isRequest(Change change) {
        return change.verb() == Change.Verb.CANCEL && state == JobState.RUNNING;
    }

    /** The reason for which a change is not possible in its state; null if it is. */
    public @Nullable String refusal(Change change) {
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

    /** The reason for which a job cannot be retried whose key another one holds. */
    public static String keyIsHeld(long job, DedupeKey key, long holder) {
        return "job %d cannot be retried: job %d holds its dedupe key '%s'".formatted(job, holder, key.key());
    }

    /** The reason for which a job cannot be discarded on which another one depends. */
    public static String isNeeded(long job, long child) {
        return "job %d cannot be discarded: job %d depends on it and has not ended or could be retried"
                .formatted(job, child);
    }

    /** The detail of the event of a change. */
    public @Nullable String eventDetail(Change change) {
        return JsonText.object(
                "errorCode", change.errorCode(), "fromStart", (change.fromStart() && !dependent) ? true : null);
    }

    /** Asks the holder of a running job to cancel it: once, and told again each time. False if it does not run any more. */
    public boolean requestCancel(WriteTransaction tx, long actor) throws SQLException {
        if (!cancelRequested) {
            int requested = tx.statements()
                    .get(Statement.REQUEST_CANCEL)
                    .set(1, id)
                    .set(2, token)
                    .set(3, actor)
                    .update();
            if (requested != 1) {
                return false;
            }
            tx.event(id, tx.now(), EventKind.CANCEL_REQUESTED, actor, token, null);
        }
        tx.notices().cancelRequested(new LeaseToken(id, token));
        tx.wrote();
        return true;
    }
}
