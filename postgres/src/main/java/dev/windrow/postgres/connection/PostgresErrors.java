package dev.windrow.postgres.connection;

import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.postgresql.util.PSQLException;

/** The meanings of PostgreSQL's errors, by their SQLSTATE ("PostgreSQL Error Codes", appendix A of its manual). No other class knows them. */
public final class PostgresErrors {
    /** The remedy if the server has no connection left. */
    private static final String NO_CONNECTION_LEFT =
            "; each process needs %d connections while it works: raise max_connections, or put a proxy that pools transactions before the server, see docs/postgres.md"
                    .formatted(Sessions.USUAL + 1);

    /** The remedy for a proxy that does not know prepared statements. */
    static final String PREPARE_THRESHOLD = "add prepareThreshold=0 to the URL, or take PgBouncer 1.21 or newer";

    /** insufficient_privilege: the user lacks a privilege. */
    public static final String NO_PRIVILEGE = "42501";

    private PostgresErrors() {}

    private static String state(SQLException e) {
        String state = e.getSQLState();
        return state == null ? "" : state;
    }

    /**
     * True if the connection is lost, or none can be had. Another one may work in a moment. A server that only reads is about to be replaced, or was.
     */
    public static boolean isConnectionGone(SQLException e) {
        String state = state(e);
        return state.startsWith("08")
                || e instanceof SQLTransientConnectionException
                || switch (state) {
                    // admin_shutdown, crash_shutdown, cannot_connect_now, idle_in_transaction_session_timeout,
                    // transaction_timeout, idle_session_timeout, too_many_connections, read_only_sql_transaction
                    case "57P01", "57P02", "57P03", "25P03", "25P04", "57P05", "53300", "25006" -> true;
                    default -> false;
                };
    }

    /** True if the server has sent this error. False if the driver or a pool has failed. Then the server may still have done the work. */
    public static boolean isOfTheServer(SQLException e) {
        return e instanceof PSQLException error && error.getServerErrorMessage() != null;
    }

    /**
     * True if this error of a message that is a transaction proves that nothing was committed: the server has refused a statement, or the commit. Other
     * errors prove nothing. A connection may break after the commit, a cancel may come after it, and a proxy may report the end of the server.
     */
    public static boolean isRefusal(SQLException e) {
        // An error that ends the session may come after the commit. A server of another language names the severity
        // differently. Then the error proves nothing.
        if (!(e instanceof PSQLException error)
                || error.getServerErrorMessage() == null
                || !"ERROR".equals(error.getServerErrorMessage().getSeverity())) {
            return false;
        }
        for (SQLException each = e; each != null; each = each.getNextException()) {
            String state = state(each);
            // connection_exception, operator_intervention, system_error, internal_error
            if (state.startsWith("08") || state.startsWith("57") || state.startsWith("58") || state.startsWith("XX")) {
                return false;
            }
        }
        return true;
    }

    /** True if the server exists and refuses connections now: it starts or ends, or has no connection left. */
    static boolean isBusy(SQLException e) {
        return switch (state(e)) {
            case "57P03", "53300" -> true; // cannot_connect_now, too_many_connections
            default -> false;
        };
    }

    /**
     * True if a statement was prepared on another connection of the server. A proxy gives each transaction another connection, and does not know the
     * statements.
     */
    static boolean isStatementLost(SQLException e) {
        return switch (state(e)) {
            case "26000", "42P05" -> true; // invalid_sql_statement_name, duplicate_prepared_statement
            default -> false;
        };
    }

    /** True if another transaction has locked what is needed, or if two wait for each other. Alone, or later, the work may succeed. */
    public static boolean isLocked(SQLException e) {
        return switch (state(e)) {
            case "55P03", "40P01", "40001" -> true; // lock_not_available, deadlock_detected, serialization_failure
            default -> false;
        };
    }

    /** True if a number was queried that no transaction has had. The transaction that had it before a crash has left nothing in the log. */
    public static boolean isOfTheFuture(SQLException e) {
        return state(e).equals("22023"); // invalid_parameter_value
    }

    /**
     * Returns the error for a connection through a proxy that leads to another server, or to another run of it, than before. It is treated like a
     * broken connection.
     */
    public static SQLException anotherServer() {
        return new SQLException("the connection leads to another server than before", "08006");
    }

    /** True if the error affects the whole server, so that repeating operations one by one would not help. */
    public static boolean isStoreWide(SQLException e) {
        String state = state(e);
        // insufficient_resources; operator_intervention, of which query_canceled is the timeout of a statement;
        // system_error; internal_error
        return isConnectionGone(e)
                || state.startsWith("53")
                || state.startsWith("57")
                || state.startsWith("58")
                || state.startsWith("XX");
    }

    /** Translates an error into an exception that names what failed, why, and what to do. */
    public static WindrowException translate(SQLException e, String what) {
        String because = what + " failed: ";
        String state = state(e);
        if (state.equals("08004")) { // no password, no encryption: another try would not help
            return new StoreUnavailableException(because + "the server refuses the connection: " + message(e), e);
        }
        if (isConnectionGone(e)) {
            return new StoreUnavailableException(because + "the server cannot be used now: " + message(e), e);
        }
        if (isLocked(e)) {
            return new StoreUnavailableException(
                    because
                            + "it has waited too long for a lock of another transaction; end or shorten that transaction",
                    e);
        }
        return switch (state) {
            case "53100" ->
                new StoreUnavailableException(because + "the server's disk is full; free space and repeat", e);
            case "57014" ->
                new StoreUnavailableException(
                        because + "it took longer than the operation timeout, and the server has cancelled it", e);
            case NO_PRIVILEGE ->
                new StoreUnavailableException(
                        because + message(e) + "; grant the database user what it needs, see docs/postgres.md", e);
            case "26000", "42P05" ->
                new StoreUnavailableException(
                        because + message(e)
                                + "; a proxy that pools transactions and does not know prepared statements: "
                                + PREPARE_THRESHOLD,
                        e);
            case "42P01", "3F000" ->
                new StoreUnavailableException(because + "the tables do not exist (" + message(e) + ")", e);
            default ->
                isStoreWide(e)
                        ? new StoreUnavailableException(because + message(e), e)
                        : new WindrowException(because + message(e), e);
        };
    }

    /**
     * Returns the first line of the message of the server or the driver. The other lines are about positions in statements. The timeout message of a
     * pool is only the end of the cause. An unknown host is named only in the cause.
     */
    public static String message(SQLException e) {
        if (e instanceof SQLTransientConnectionException && e.getCause() instanceof SQLException why) {
            return message(why);
        }
        if (e.getCause() instanceof UnknownHostException unknown) {
            return "the host " + unknown.getMessage() + " is not known";
        }
        String message = String.valueOf(e.getMessage());
        int end = message.indexOf('\n');
        String first = end < 0 ? message : message.substring(0, end);
        return state(e).equals("53300") ? first + NO_CONNECTION_LEFT : first;
    }
}
