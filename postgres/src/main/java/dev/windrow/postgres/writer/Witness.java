package dev.windrow.postgres.writer;

import dev.windrow.postgres.connection.PostgresStatements;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A row that only this transaction can have written. Without the answer to a commit, the number of the transaction is not enough to find out its
 * outcome. A server that crashes forgets the numbers that it had not logged, and gives them to other transactions. Those may write about the same job,
 * because after a crash all processes continue with the same jobs.
 *
 * @param kind the kind of row
 * @param job the job of the row
 * @param token the token of the job's attempt, if the row has one
 * @param at the time in the row, if it has one: milliseconds by the clock of the store
 */
public record Witness(Kind kind, long job, long token, long at) {
    /** The rows, as {@link TransactionSql#STATUS_OF_TRANSACTION} knows them. */
    public enum Kind {
        /** The input of a new job. */
        INPUT(true),
        /** An entry of the event log. */
        EVENT(true),
        /** The row of a job with the time of its claim. A later transaction may change it. */
        CLAIM(false),
        /** The row of a job with the time of its start. A later transaction may change it. */
        START(false),
        /** The row of a job with the time of its completion. */
        COMPLETION(true),
        /** A row of a step. The next attempt may change it. */
        STEP(false),
        /** A line of a job's log, or its progress. A later report may replace it. */
        REPORT(false);

        private final boolean stays;

        Kind(boolean stays) {
            this.stays = stays;
        }

        /** True if no later transaction hides the row. */
        boolean stays() {
            return stays;
        }
    }

    /**
     * The status of a transaction.
     *
     * @param status {@code committed}, {@code aborted}, {@code in progress}, or null if it is too old
     * @param isSeen true if the row of the witness exists; null without one
     */
    public record Status(@Nullable String status, @Nullable Boolean isSeen) {
        public boolean isCommitted() {
            return "committed".equals(status);
        }
    }

    /** Reads the status of the transaction with this number, and looks for the row of its witness. */
    public static Status status(PostgresStatements statements, String number, @Nullable Witness witness)
            throws SQLException {
        try (ResultSet row = statements
                .get(TransactionSql.STATUS_OF_TRANSACTION)
                .set(1, number)
                .set(2, witness == null ? null : witness.kind.name())
                .set(3, witness == null ? null : witness.job)
                .set(4, witness == null ? null : witness.token)
                .set(5, witness == null ? null : witness.at)
                .rows()) {
            row.next();
            return new Status(row.getString(1), (Boolean) row.getObject(2));
        }
    }
}
