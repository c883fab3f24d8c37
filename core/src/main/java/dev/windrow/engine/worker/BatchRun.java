package dev.windrow.engine.worker;

import dev.windrow.BatchItem;
import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.engine.monitor.LogContext;
import dev.windrow.engine.monitor.Traces;
import dev.windrow.store.SafeLogger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Runs a call of a batch handler on one thread. Each attempt is settled by itself. */
final class BatchRun {
    private static final Logger log = SafeLogger.of(BatchRun.class);

    private final Execution execution;
    private final BatchCall call;

    BatchRun(Execution execution, BatchCall call) {
        this.execution = execution;
        this.call = call;
    }

    /** Runs the attempts to their ends. Exceptions and errors of the handler are caught. */
    void run(String slot) {
        try {
            call.start();
            List<Item> begun = begin(slot);
            if (!begun.isEmpty()) {
                execution.hooks().wakeBy(begun.get(0).attempt.deadlineNanos());
                Map<String, String> before = LogContext.enterBatch(begun.get(0).attempt);
                try {
                    handle(begun.stream().filter(Item::isReady).toList());
                } finally {
                    LogContext.leave(before);
                }
            }
        } finally {
            call.end();
            // A late interrupt belongs to these jobs.
            Thread.interrupted();
        }
    }

    private List<Item> begin(String slot) {
        Duration limit = call.attempts().stream()
                .map(execution::limit)
                .min(Duration::compareTo)
                .orElse(Duration.ZERO);
        List<Item> begun = new ArrayList<>();
        boolean readable = true;
        for (Attempt attempt : call.attempts()) {
            attempt.inBatch(call);
            if (attempt.begin(slot, limit, execution)) {
                // After a failure the next read would wait as long.
                readable = readable && attempt.readLoggedMetadata();
                begun.add(new Item(attempt));
            }
        }
        return begun;
    }

    private void handle(List<Item> jobs) {
        if (jobs.isEmpty()) {
            return;
        }
        oneEnded();
        Throwable thrown = null;
        try {
            Registration.OfBatch<?, ?> registration =
                    (Registration.OfBatch<?, ?>) jobs.get(0).attempt.registration();
            List<JobContext> contexts = jobs.stream().map(Item::job).toList();
            Object unused = execution.around(
                    (middleware, rest) -> {
                        middleware.aroundBatch(contexts, rest);
                        return null;
                    },
                    () -> {
                        registration.call(jobs);
                        return null;
                    });
        } catch (Throwable e) {
            thrown = e;
        }
        for (Item job : jobs) {
            job.returned(thrown);
        }
    }

    /** Interrupts the handler if an end has left only jobs that are to stop. The watch finds out if it ignores that. */
    private void oneEnded() {
        if (call.oneEnded()) {
            execution.hooks().wakeBy(call.interruptedNanos() + Maintenance.STUCK_AFTER.toNanos());
        }
    }

    /** An attempt of the call. Any thread may settle it, once. */
    private final class Item implements BatchItem<@Nullable Object, @Nullable Object> {
        private final Attempt attempt;
        private final Execution.Work work;
        private final Traces.Run run;
        private final AtomicBoolean settled = new AtomicBoolean();

        Item(Attempt attempt) {
            this.attempt = attempt;
            this.work = execution.new Work(attempt);
            this.run = execution.traces().runningInBatch(attempt);
            attempt.traced(run);
        }

        /** Prepares the call of the handler; settles the attempt and returns false if the handler does not get it. */
        boolean isReady() {
            boolean ready = false;
            try {
                ready = work.prepare();
            } catch (Throwable e) {
                work.failure = e;
            }
            if (!ready && settled.compareAndSet(false, true)) {
                end();
            }
            return ready;
        }

        // Null if the job has no payload, as BatchItem documents.
        @SuppressWarnings("NullAway")
        @Override
        public @Nullable Object input() {
            return work.input;
        }

        @Override
        public JobContext job() {
            return attempt;
        }

        @Override
        public void complete(@Nullable Object result) {
            settle(result, null);
        }

        @Override
        public void complete() {
            if (hasResult()) {
                throw new InvalidRequestException("%s needs a result: use complete(result)".formatted(attempt));
            }
            settle(null, null);
        }

        @Override
        public void fail(Exception failure) {
            settle(null, Objects.requireNonNull(failure, "failure"));
        }

        private boolean hasResult() {
            return attempt.registration().type().output() != Void.class;
        }

        private void settle(@Nullable Object result, @Nullable Throwable failure) {
            if (!settled.compareAndSet(false, true)) {
                throw new InvalidRequestException("%s has an outcome already".formatted(attempt));
            }
            work.result = result;
            work.failure = failure;
            end();
            oneEnded();
        }

        /** Settles the attempt, unless the handler did, after the handler has returned or thrown. */
        void returned(@Nullable Throwable thrown) {
            if (settled.compareAndSet(false, true)) {
                boolean missing = thrown == null && hasResult() && attempt.inTransaction() == null;
                work.failure = missing
                        ? JobFailure.retryable(
                                ErrorCodes.NO_OUTCOME, "the batch handler returned without an outcome for this job")
                        : thrown;
                end();
            }
        }

        private void end() {
            // An interrupt for the other jobs must not change this end, for example the write of a long result.
            boolean handlers = call.leaveThread();
            boolean interrupted = Thread.interrupted();
            try {
                if (attempt.end()) {
                    execution.ended(attempt, work, run);
                }
            } catch (Throwable e) {
                execution.claims().remove(attempt);
                log.error("The end of {} could not be recorded; its lease runs out", attempt, e);
            } finally {
                run.ended(null, null, work.failure);
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                if (handlers) {
                    call.onThread(Thread.currentThread());
                }
            }
        }
    }
}
