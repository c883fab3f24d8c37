package dev.windrow.postgres.writer;

import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.connection.ServerClock;
import dev.windrow.postgres.job.DueCursor;
import dev.windrow.postgres.job.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a transaction of a writer. It is sent alone, or in one message with the first statement of the transaction, which saves a round
 * trip. That statement then runs before the results of the beginning are read. So it may do only what is right in any case, or what
 * {@link PostgresTransaction#requireAsAssumed} checks. If a check fails, the transaction is rolled back, and nothing of it stays. Used once, by one
 * thread.
 */
final class Beginning {
    private static final List<String> BEGIN = List.of(TransactionSql.BEGIN_WORK);
    private static final List<String> BEGIN_AND_DUE = List.of(TransactionSql.BEGIN_WORK, JobSql.NEXT_DUE);

    /** An exception for a name without a number, which must be committed before the transaction that uses it. */
    static final class UnknownName extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** An exception for a statement that was sent with the beginning, and has assumed something wrong. */
    static final class AheadOfTime extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final Shared shared;
    private final Names.Used used;
    /** The highest number of a lane that was known before the first statement was made. */
    private final int newestBefore;

    private final String lockTimeout;
    private final boolean writes;
    private final @Nullable Consumer<@Nullable Long> nextDue;
    private DueCursor.@Nullable View view;
    private ServerClock.@Nullable Asked asked;

    /**
     * Makes a beginning that is not sent yet.
     *
     * @param used the names that the transaction uses
     * @param newestBefore the highest number of a lane that is known now
     * @param lockTimeout the longest wait for a lock, in the duration format of PostgreSQL
     * @param writes true if the transaction is going to write
     * @param nextDue gets the due time of the next job; null if it need not be read
     */
    Beginning(
            Shared shared,
            Names.Used used,
            int newestBefore,
            String lockTimeout,
            boolean writes,
            @Nullable Consumer<@Nullable Long> nextDue) {
        this.shared = shared;
        this.used = used;
        this.newestBefore = newestBefore;
        this.lockTimeout = lockTimeout;
        this.writes = writes;
        this.nextDue = nextDue;
    }

    private List<String> sqls() {
        return nextDue == null ? BEGIN : BEGIN_AND_DUE;
    }

    /** Sends it alone. */
    void send(PostgresTransaction tx) throws SQLException {
        List<String> sqls = sqls();
        PostgresQuery query = sqls.size() == 1
                ? tx.statements().get(sqls.get(0))
                : tx.statements().together(sqls);
        bind(tx, query);
        read(tx, query.first(), query, true);
    }

    /** Returns statements that are sent in one message with it. */
    PostgresQuery with(PostgresTransaction tx, List<String> following) throws SQLException {
        List<String> sqls = new ArrayList<>(sqls());
        int own = sqls.size();
        sqls.addAll(following);
        PostgresQuery query = tx.statements().together(sqls);
        bind(tx, query);
        return query.after(own, (first, results) -> read(tx, first, results, false));
    }

    private void bind(PostgresTransaction tx, PostgresQuery query) throws SQLException {
        query.set(1, lockTimeout).set(2, shared.statementTimeout()).set(3, writes);
        if (nextDue != null) {
            view = tx.learned.due().view();
            query.set(1 + PostgresQuery.NEXT, view.from());
        }
        asked = shared.clock().ask();
    }

    /** Reads its results. If it was not sent alone, the duration of its queries is not known. */
    private void read(PostgresTransaction tx, ResultSet first, PostgresQuery results, boolean alone)
            throws SQLException {
        long serverMillis;
        long now;
        String number;
        Set<Integer> limited;
        String store;
        int minCompatible;
        long run;
        int newestLane;
        try (ResultSet row = first) {
            row.next();
            serverMillis = row.getLong(1);
            now = shared.clock().at(serverMillis, Objects.requireNonNull(asked));
            number = row.getString(14);
            limited = Set.of((Integer[]) row.getArray(15).getArray());
            store = row.getString(16);
            minCompatible = row.getInt(17);
            run = row.getLong(18);
            newestLane = row.getInt(19);
        }
        if (run != tx.learned.run()) {
            throw PostgresErrors.anotherServer();
        }
        Long due = null;
        if (nextDue != null) {
            DueCursor.View looked = Objects.requireNonNull(view);
            due = PostgresTransaction.due(results.next(), looked, alone);
            looked.move();
            nextDue.accept(due);
        }
        shared.guard().require(tx.statements(), store, minCompatible);
        tx.begun(now, limited);
        tx.serverMillis(serverMillis);
        tx.number(number);
        if (!tx.names.know(used, now)) {
            throw new UnknownName();
        }
        if (newestLane > tx.names.newest()) {
            tx.names.refresh(tx.statements());
        }
        // Another thread may have read the new lanes since this claim has chosen its lanes.
        tx.requireAsAssumed(due, newestLane > newestBefore);
        if (nextDue != null) {
            tx.due(due);
        }
    }
}
