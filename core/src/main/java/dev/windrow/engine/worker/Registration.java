package dev.windrow.engine.worker;

import dev.windrow.BatchHandler;
import dev.windrow.BatchItem;
import dev.windrow.Handler;
import dev.windrow.JobContext;
import dev.windrow.JobType;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A type and its handler. */
sealed interface Registration<I extends @Nullable Object, O extends @Nullable Object> {
    JobType<I, O> type();

    /**
     * A handler that takes one job in each call.
     *
     * @param type the type
     * @param handler the handler of the type
     */
    record OfOne<I extends @Nullable Object, O extends @Nullable Object>(JobType<I, O> type, Handler<I, O> handler)
            implements Registration<I, O> {
        // The input was decoded into the type's own input class. It is null if the job has no payload, as Handler
        // documents.
        @SuppressWarnings({"unchecked", "NullAway"})
        @Nullable Object call(@Nullable Object input, JobContext context) throws Exception {
            return handler.handle((I) input, context);
        }
    }

    /**
     * A handler that takes several jobs in each call.
     *
     * @param type the type
     * @param max the most jobs of a call
     * @param linger the longest wait of the first job of a call for further ones
     * @param handler the handler of the type
     */
    record OfBatch<I extends @Nullable Object, O extends @Nullable Object>(
            JobType<I, O> type, int max, Duration linger, BatchHandler<I, O> handler) implements Registration<I, O> {
        // As with a single job.
        @SuppressWarnings("unchecked")
        void call(List<? extends BatchItem<?, ?>> jobs) throws Exception {
            handler.handle((List<BatchItem<I, O>>) jobs);
        }
    }
}
