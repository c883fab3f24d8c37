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
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A real store, whose next commits fail if the test says so. After each commit it tells the thread that waited for it. All other methods are those of
 * the real store.
 */
final class WatchedStore extends StoreProvider {
    private final Store real;
    private final AtomicInteger failures = new AtomicInteger();
    private volatile Runnable onCommit = () -> {};

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

    /** Sets the action of each thread that has waited for a commit. */
    void onCommit(Runnable action) {
        onCommit = action;
    }

    /** Tells this thread that something may be ready to run. */
    void committed() {
        onCommit.run();
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

    /** A result that tells the thread that waits for it. */
    private final class Told<T extends @Nullable Object> extends CompletableFuture<T> {
        @Override
        public T get() throws InterruptedException, ExecutionException {
            T value = super.get();
            onCommit.run();
            return value;
        }

        @Override
        public T join() {
            T value = super.join();
            onCommit.run();
            return value;
        }
    }

    private <T extends @Nullable Object> CompletableFuture<T> submit(OpenStore open, Command<T> command) {
        if (mayFail(command) && fails()) {
            return CompletableFuture.failedFuture(failure(command.what()));
        }
        Told<T> told = new Told<>();
        CompletableFuture<T> unused = open.submit(command).whenComplete((value, failure) -> {
            if (failure == null) {
                told.complete(value);
            } else {
                told.completeExceptionally(failure);
            }
        });
        return told;
    }

    private <T extends @Nullable Object, E extends Exception> T inTransaction(
            OpenStore open, TransactionWork<T, E> work) throws E {
        T value = open.inTransaction(connection -> {
            T result = work.run(connection);
            if (fails()) {
                throw failure("a transaction");
            }
            return result;
        });
        onCommit.run();
        return value;
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
