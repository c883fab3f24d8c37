package dev.windrow.cli;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobNotFoundException;
import dev.windrow.WindrowException;
import dev.windrow.cli.terminal.Console;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Utf8;
import dev.windrow.schedule.ScheduleNotFoundException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Converts each thrown exception into an exit status and a message on stderr. */
public final class Problems implements IExecutionExceptionHandler, IParameterExceptionHandler {
    public static final int FAILED = 1;
    static final int WRONG_USAGE = 2;

    private final Console console;

    Problems(Console console) {
        this.console = console;
    }

    @Override
    public int handleParseException(ParameterException refused, String[] args) {
        ParameterException e = UnknownOptions.before(refused);
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("windrow: " + shown(message(e)));
        if (!UnmatchedArgumentException.printSuggestions(e, err)) {
            err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        }
        trace(e, err);
        return WRONG_USAGE;
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        PrintWriter err = command.getErr();
        boolean wrongUsage = e instanceof UsageException || e instanceof InvalidRequestException;
        if (!wrongUsage && !(e instanceof FailedException) && !(e instanceof WindrowException)) {
            return unexpected(e, err);
        }
        err.println("windrow: " + shown(String.valueOf(e.getMessage())));
        if (wrongUsage) {
            err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        } else if (e instanceof JobNotFoundException) {
            err.println(
                    command.getCommandName().equals("workflow")
                            ? "'windrow show ID' names the workflow of a job."
                            : "'windrow list' shows the existing jobs.");
        } else if (e instanceof ScheduleNotFoundException) {
            err.println("'windrow schedule list' shows the existing schedules.");
        } else if (isRefusedLogin(e)) {
            err.println(
                    "Set the user with WINDROW_DB_USER, and the password with WINDROW_DB_PASSWORD or WINDROW_DB_PASSWORD_FILE.");
        } else if (Utf8.isDoubtful(System.getProperty("user.dir", ""))) {
            err.println(
                    "The name of the current folder is not UTF-8, so relative paths do not work here: give absolute paths,"
                            + " or change to another folder.");
        }
        trace(e, err);
        return wrongUsage ? WRONG_USAGE : FAILED;
    }

    /** True if the database refused this user, by SQLSTATE: invalid authorization, connection rejected. */
    private static boolean isRefusedLogin(Exception e) {
        return e.getCause() instanceof SQLException cause
                && cause.getSQLState() != null
                && (cause.getSQLState().startsWith("28") || cause.getSQLState().equals("08004"));
    }

    /** Reports an exception that no command throws on purpose. */
    int unexpected(Throwable e, PrintWriter err) {
        err.println("windrow: unexpected error: " + shown(e.toString()));
        trace(e, err);
        if (!debugging()) {
            err.println("Set WINDROW_DEBUG=1 in the environment to see the stack trace.");
        }
        err.flush();
        return FAILED;
    }

    /**
     * Returns a message that is safe for a terminal. Wrong arguments and stored text may contain control characters
     * and passwords.
     */
    private static String shown(String message) {
        return TerminalText.lines(Secrets.hidden(message));
    }

    private static String message(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            String first = unmatched.getUnmatched().get(0);
            return e.getCommandLine().getParent() == null
                    ? "'" + first + "' is not a command"
                    : "unexpected argument '" + first + "'";
        }
        return String.valueOf(e.getMessage());
    }

    private void trace(Throwable e, PrintWriter err) {
        if (debugging()) {
            StringWriter stack = new StringWriter();
            e.printStackTrace(new PrintWriter(stack));
            err.print(Secrets.hidden(stack.toString()));
            err.flush();
        }
    }

    private boolean debugging() {
        String environment = console.environment().get("WINDROW_DEBUG");
        return System.getProperty("windrow.debug") != null || (environment != null && !environment.isEmpty());
    }
}
