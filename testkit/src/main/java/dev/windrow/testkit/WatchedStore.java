package dev.windrow.testkit;

import dev.windrow.InvalidRequestException;
import dev.windrow.Store;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TransactionWork;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.store.Command;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Settle;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.monitor.RecordReveal;
import dev.windrow.store.retention.RetentionChange;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.step.Signal;
import dev.windrow.store.step.StepWrite;
import dev.windrow.store.transfer.CopyPlace;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A real store, whose next commits fail if the test says so. A thread of the application that waits for its commit runs the jobs that it makes ready,
 * if the test wants that. All other methods are those of the real store.
 */
final class WatchedStore extends StoreProvider {
    private final Store real;
    private final AtomicInteger failures = new AtomicInteger();
    private volatile @Nullable JobRunner inline;

    WatchedStore(Store real) {
        this.real = real;
    }

    /** Lets the next commits fail. */
    void fail(int commits) {
        if (commits < 0) {
            throw new InvalidRequestException("storeFails %d is not allowed: 0 or more".formatted(commits));
        }
        failures.set(commits);
    }

    /** Lets each thread of the application run the jobs that its commits make ready. */
    void runInline(JobRunner runner) {
        inline = runner;
    }

    /** Runs the jobs that are ready now, if the test runs jobs after each commit. */
    void committed() {
        JobRunner runner = inline;
        if (runner != null) {
            runner.beginInline();
            try {
                runner.runInline();
            } finally {
                runner.endInline();
            }
        }
    }

    /** Returns the runner of the jobs of a commit on this thread; null if this thread runs none. Windrow's own threads run no jobs of a test. */
    private @Nullable JobRunner inlineHere() {
        return Thread.currentThread().getName().startsWith("windrow-") ? null : inline;
    }

    private boolean fails() {
        return failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }

    private static StoreUnavailableException failure(String what) {
        return new StoreUnavailableException(what + " failed: the test has said storeFails");
    }

    /** True for the changes of an application, and for the ends of attempts. What keeps a worker alive does not fail. */
    private static boolean mayFail(Command<?> command) {
        return command instanceof Enqueue
                || command instanceof Change
                || command instanceof Settle
                || command instanceof StepWrite
                || command instanceof Signal
                || command instanceof ScheduleChange
                || command instanceof LimitChange
                || command instanceof RetentionChange
                || command instanceof RecordReveal;
    }

    /** True for the changes that may make a job ready, and that an application waits for. */
    private static boolean mayMakeReady(Command<?> command) {
        return command instanceof Enqueue
                || command instanceof Change
                || command instanceof Signal
                || command instanceof ScheduleChange
                || command instanceof LimitChange;
    }

    /**
     * A result of a command that is submitted when a thread waits for it: first the thread takes its turn, and after the commit it runs the jobs. If no
     * thread waits, but a callback does, the command is submitted at once, and no thread runs jobs.
     */
    private static final class Inline<T extends @Nullable Object> extends CompletableFuture<T> {
        private final JobRunner runner;
        private final Supplier<CompletableFuture<T>> command;
        private final AtomicBoolean submitted = new AtomicBoolean();

        Inline(JobRunner runner, Supplier<CompletableFuture<T>> command) {
            this.runner = runner;
            this.command = command;
        }

        private void submit() {
            if (submitted.compareAndSet(false, true)) {
                CompletableFuture<T> unused = command.get().whenComplete((value, failure) -> {
                    if (failure == null) {
                        complete(value);
                    } else {
                        completeExceptionally(failure);
                    }
                });
            }
        }

        @Override
        public T get() throws InterruptedException, ExecutionException {
            runner.beginInline();
            try {
                submit();
                T value = super.get();
                runner.runInline();
                return value;
            } finally {
                runner.endInline();
            }
        }

        @Override
        public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
            submit();
            return super.get(timeout, unit);
        }

        @Override
        public T join() {
            runner.beginInline();
            try {
                submit();
                T value = super.join();
                runner.runInline();
                return value;
            } finally {
                runner.endInline();
            }
        }

        // Each method that adds a callback makes a future by this one.
        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            submit();
            return new CompletableFuture<>();
        }
    }

    private <T extends @Nullable Object> CompletableFuture<T> submit(OpenStore open, Command<T> command) {
        if (mayFail(command) && fails()) {
            return CompletableFuture.failedFuture(failure(command.what()));
        }
        JobRunner runner = mayMakeReady(command) ? inlineHere() : null;
        return runner == null ? open.submit(command) : new Inline<>(runner, () -> open.submit(command));
    }

    private <T extends @Nullable Object, E extends Exception> T inTransaction(
            OpenStore open, TransactionWork<T, E> work) throws E {
        JobRunner runner = inlineHere();
        if (runner == null) {
            return failingTransaction(open, work);
        }
        runner.beginInline();
        try {
            T value = failingTransaction(open, work);
            runner.runInline();
            return value;
        } finally {
            runner.endInline();
        }
    }

    private <T extends @Nullable Object, E extends Exception> T failingTransaction(
            OpenStore open, TransactionWork<T, E> work) throws E {
        return open.inTransaction(connection -> {
            T result = work.run(connection);
            if (fails()) {
                throw failure("a transaction");
            }
            return result;
        });
    }

    @Override
    protected OpenStore open(StoreEnvironment environment) {
        OpenStore open = StoreProvider.open(real, environment);
        return (OpenStore) Proxy.newProxyInstance(
                OpenStore.class.getClassLoader(),
                new Class<?>[] {OpenStore.class},
                (proxy, method, arguments) -> call(open, method, arguments));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The caller of the store's method gets the future.
    private @Nullable Object call(OpenStore open, Method method, Object @Nullable [] arguments) throws Throwable {
        Object first = arguments == null || arguments.length == 0 ? null : arguments[0];
        if (first instanceof Command<?> command) {
            return submit(open, command);
        }
        if (first instanceof TransactionWork<?, ?> work) {
            return inTransaction(open, work);
        }
        try {
            return method.invoke(open, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Override
    protected Diagnosis diagnose(DiagnoseRequest request) {
        return StoreProvider.diagnose(real, request);
    }

    @Override
    protected CopyPlace copyPlace() {
        return StoreProvider.copyPlace(real);
    }

    @Override
    public String location() {
        return real.location();
    }
}
