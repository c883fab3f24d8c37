package dev.windrow.engine.worker;

import dev.windrow.Handler;
import dev.windrow.JobContext;
import dev.windrow.JobType;
import org.jspecify.annotations.Nullable;

/**
 * A type and its handler.
 *
 * @param type the type
 * @param handler the handler of the type
 */
record Registration<I extends @Nullable Object, O extends @Nullable Object>(JobType<I, O> type, Handler<I, O> handler) {
    // The input was decoded into the type's own input class. It is null if the job has no payload, as Handler
    // documents.
    @SuppressWarnings({"unchecked", "NullAway"})
    @Nullable Object call(@Nullable Object input, JobContext context) throws Exception {
        return handler.handle((I) input, context);
    }
}
