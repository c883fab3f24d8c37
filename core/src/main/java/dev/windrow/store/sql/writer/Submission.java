package dev.windrow.store.sql.writer;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.store.Command;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A command in a store's queue. Its future is completed after the commit.
 *
 * @param <T> the result
 */
public final class Submission<T extends @Nullable Object> {
    private final Command<T> command;
    private final int weight;
    private final CompletableFuture<T> future;
    private final long since = System.nanoTime();

    private int delays;
    private long notBefore;
    private @Nullable T answer;
    private @Nullable WindrowException refusal;
    private volatile List<Long> newJobs = List.of();

    /** Creates the submission of a command now. */
    public Submission(Command<T> command) {
        this(command, new CompletableFuture<>());
    }

    /** Creates the submission of a command whose result completes this future. */
    public Submission(Command<T> command, CompletableFuture<T> future) {
        this.command = command;
        this.weight = command.weight();
        this.future = future;
    }

    /** Returns the command. */
    public Command<T> command() {
        return command;
    }

    /** Returns the future of the result, completed after the commit. */
    public CompletableFuture<T> future() {
        return future;
    }

    /** Returns when it was submitted, by {@link System#nanoTime}. */
    public long since() {
        return since;
    }

    /** True if it was submitted more than this time ago. */
    public boolean isOlderThan(long millis) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since) > millis;
    }

    /** See {@link Command#weight}. */
    public int weight() {
        return weight;
    }

    /** See {@link Command#what}. */
    public String what() {
        return command.what();
    }

    /** True if its command is one of this class. */
    public boolean is(Class<?> type) {
        return type.isInstance(command);
    }

    /** Keeps the result until the commit. The ids of new jobs are known before the commit, so that an unknown outcome can name them. */
    public void answer(T value) {
        answer = value;
        newJobs = command.newJobs(value);
    }

    /** Keeps the refusal of a command that has written nothing. The command fails alone, and its transaction continues. */
    public void refuse(WindrowException e) {
        refusal = e;
    }

    /** True if it was refused. */
    public boolean isRefused() {
        return refusal != null;
    }

    /** The code of a command that checks before it writes. */
    public interface Step {
        /** Runs it. */
        void run() throws SQLException;
    }

    /** Runs code of a command that checks before it writes. Its refusal concerns no other command of the transaction. */
    public void unlessRefused(Step step) throws SQLException {
        try {
            step.run();
        } catch (WindrowException e) {
            refuse(e);
        }
    }

    /** Returns how often it was delayed because another transaction held a lock that it needs. */
    public int delays() {
        return delays;
    }

    /** Delays it until this time, by {@link System#nanoTime}, because another transaction holds a lock that it needs. */
    public void delay(long untilNanos) {
        delays++;
        notBefore = untilNanos;
    }

    /** Delays it as long as another one, which it must not overtake. */
    public void delayAs(Submission<?> other) {
        delays = other.delays;
        notBefore = other.notBefore;
    }

    /** True if it is delayed beyond this time. */
    public boolean isDelayedAt(long nanoTime) {
        return delays > 0 && notBefore - nanoTime > 0;
    }

    /** Returns when it is tried again, by {@link System#nanoTime}. */
    public long notBefore() {
        return notBefore;
    }

    /** Forgets the result of a transaction that was rolled back. */
    public void forget() {
        answer = null;
        refusal = null;
        newJobs = List.of();
    }

    /** Completes the future, after the commit. */
    @SuppressWarnings("NullAway") // the result of a command may be null
    public void complete() {
        if (refusal != null) {
            future.completeExceptionally(refusal);
        } else {
            future.complete(answer);
        }
    }

    /** Fails the future. */
    public void fail(WindrowException e) {
        future.completeExceptionally(e);
    }

    /** True if the caller has a result or a failure, including a withdrawal. */
    public boolean isEnded() {
        return future.isDone();
    }

    /** Fails a command whose time is over and that has written nothing. */
    public void withdraw(String timeout, String why) {
        fail(new StoreUnavailableException("%s was not done within %s and was withdrawn; nothing was written: %s"
                .formatted(what(), timeout, why)));
    }

    /** Fails a command that may have been committed. */
    public void outcomeUnknown(String why) {
        fail(new OutcomeUnknownException(
                "%s has an unknown outcome: %s; it may have been written, or may still be written"
                        .formatted(what(), why),
                newJobs));
    }
}
