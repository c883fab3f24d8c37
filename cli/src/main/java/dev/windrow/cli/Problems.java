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

/** Turns everything that is thrown into an exit status and a few words on stderr. */
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
                            : "'windrow list' shows the jobs that there are.");
        } else if (e instanceof ScheduleNotFoundException) {
            err.println("'windrow schedule list' shows the schedules that there are.");
        } else if (isRefusedLogin(e)) {
            err.println(
                    "WINDROW_DB_USER says who connects; WINDROW_DB_PASSWORD or WINDROW_DB_PASSWORD_FILE holds the password.");
        } else if (Utf8.isDoubtful(System.getProperty("user.dir", ""))) {
            err.println(
                    "The name of the current folder is not UTF-8, so that nothing is found from here: give whole paths,"
                            + " or go elsewhere.");
        }
        trace(e, err);
        return wrongUsage ? WRONG_USAGE : FAILED;
    }

    /** Whether a database did not let this user in, by SQLSTATE: invalid authorization, connection rejected. */
    private static boolean isRefusedLogin(Exception e) {
        return e.getCause() instanceof SQLException cause
                && cause.getSQLState() != null
                && (cause.getSQLState().startsWith("28") || cause.getSQLState().equals("08004"));
    }

    /** What is no exception that a command could mean. */
    int unexpected(Throwable e, PrintWriter err) {
        err.println("windrow: this should not have happened: " + shown(e.toString()));
        trace(e, err);
        if (!debugging()) {
            err.println("WINDROW_DEBUG=1 in the environment shows where it came from.");
        }
        err.flush();
        return FAILED;
    }

    /** For a terminal: what was given wrongly, or is stored, may hold control characters as well as passwords. */
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
