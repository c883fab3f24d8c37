package dev.windrow.postgres.writer;

import dev.windrow.postgres.connection.PostgresStatements;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A row that a transaction has written, with values that tell it from the rows of others. Without the answer to a commit, the number of the
 * transaction is not enough to find out its outcome. A server that crashes forgets the numbers that it had not logged, and gives them to other
 * transactions. Those may write about the same job, because after a crash all processes continue with the same jobs.
 *
 * @param kind the kind of row
 * @param id the job of the row, or the entry of the audit
 * @param token the token of the job's attempt, if the row has one
 * @param at the time in the row, if it has one: milliseconds by the clock of the store
 */
public record Witness(Kind kind, long id, long token, long at) {
    /** The kinds of rows, as {@link TransactionSql#STATUS_OF_TRANSACTION} knows them. Later transactions are less likely to hide the first ones. */
    public enum Kind {
        /** An entry of the audit. */
        AUDIT,
        /** The row of a job with the time of its completion. */
        COMPLETION,
        /** The input of a new job. */
        INPUT,
        /** An entry of the event log. */
        EVENT,
        /** The row of a job with the time of its claim. The end of the attempt, from outside or after the lease, may hide it. */
        CLAIM,
        /** The row of a job with the time of its start. */
        START,
        /** A step. The next attempt may change it. */
        STEP,
        /** A line of a job's log, or its progress. A later report may replace it. */
        REPORT
    }

    /**
     * The status of a transaction.
     *
     * @param word {@code committed}, {@code aborted}, {@code in progress}, or null if it is too old
     * @param seen true if the row of the witness exists; null without one
     * @param started the run of the server that has answered
     */
    public record Status(@Nullable String word, @Nullable Boolean seen, long started) {
        public boolean isCommitted() {
            return "committed".equals(word);
        }
    }

    /** Reads the status of the transaction with this number, and looks for the row of its witness. */
    public static Status status(PostgresStatements statements, String number, @Nullable Witness witness)
            throws SQLException {
        try (ResultSet row = statements
                .get(TransactionSql.STATUS_OF_TRANSACTION)
                .set(1, number)
                .set(2, witness == null ? null : witness.kind.name())
                .set(3, witness == null ? null : witness.id)
                .set(4, witness == null ? null : witness.token)
                .set(5, witness == null ? null : witness.at)
                .rows()) {
            row.next();
            return new Status(row.getString(1), (Boolean) row.getObject(2), row.getLong(3));
        }
    }
}
