package dev.windrow.store.sql.job;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.EventKind;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The ends of attempts whose workers are dead. One instance for each call. */
public final class Recoveries {
    private final WriteTransaction tx;
    private final List<Orphan> taken = new ArrayList<>();
    private final List<Ended> ended = new ArrayList<>();

    /** Creates the recoveries of a transaction. */
    public Recoveries(WriteTransaction tx) {
        this.tx = tx;
    }

    /**
     * Ends the attempt of a job that has not changed since it was read.
     *
     * @param row id, token, lane, start, worker, true if there is a request to cancel, dedupe key, concurrency key, type of the dedupe key,
     *     run
     */
    public void add(Orphan orphan, ResultSet row) throws SQLException {
        Suspect suspect = orphan.suspect();
        long job = row.getLong(1);
        long token = row.getLong(2);
        long lane = row.getLong(3);
        // The request to cancel may be newer than the suspect.
        Orphan applied = row.getInt(6) != 0 ? orphan.cancelled() : orphan;
        long actor = tx.actor(orphan.actor());
        boolean crashed = orphan.outcome() == AttemptOutcome.RECOVERED;
        taken.add(applied);
        ended.add(new Ended(
                /* job= */ job,
                /* token= */ token,
                /* lane= */ lane,
                /* key= */ DedupeKey.of(tx, lane, row.getString(9), row.getString(7), job),
                /* concurrencyKey= */ row.getString(8),
                /* run= */ row.getInt(10),
                /* attempt= */ suspect.used() + 1,
                /* worker= */ row.getLong(5),
                /* actor= */ actor,
                /* deadWorker= */ suspect.worker(),
                /* transition= */ applied.transition(),
                /* outcome= */ orphan.outcome(),
                /* startedAt= */ Rows.longOrNull(row, 4),
                /* finishedAt= */ tx.now(),
                /* result= */ null,
                /* errorCode= */ crashed ? ErrorCodes.INTERNAL_CRASHED : null,
                /* errorDetail= */ crashed ? suspect.whyLost() : null,
                /* stackTrace= */ null,
                /* output= */ null,
                /* nextRunAt= */ Ended.storeTime(tx, applied.nextRunAtMillis()),
                /* next= */ null,
                /* awaits= */ null,
                /* traceparent= */ null));
        tx.event(
                job,
                tx.now(),
                EventKind.RECOVERED,
                actor,
                token,
                JsonText.object("worker", suspect.worker(), "outcome", orphan.outcome()));
    }

    /** Returns all ends. */
    public List<Ended> ended() {
        return ended;
    }

    /** Returns the jobs whose ends were applied. */
    public List<Orphan> taken(boolean[] applied) {
        return IntStream.range(0, applied.length)
                .filter(i -> applied[i])
                .mapToObj(taken::get)
                .toList();
    }
}
