package dev.windrow.monitor;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.JobContext;
import dev.windrow.JobRequest;
import dev.windrow.Windrow;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Traces each job from its enqueue to its attempts, across processes. The engine calls it for each enqueue and each attempt, and stores its trace
 * context with them in the W3C form ({@code traceparent}). A {@code Windrow} has at most one, set before it is opened. Called by many threads at
 * once. An exception of an implementation is logged and ignored: the job continues untraced.
 */
public interface Tracing {
    /**
     * Begins an enqueue: one call is about to write jobs. Called on the caller's thread. A job that has a trace context keeps it. The next job of a
     * chain, which is written at the end of an attempt, is not passed here: it gets the trace context of the {@link Running}.
     *
     * @param jobs the jobs of the call, at least one
     */
    Enqueuing enqueuing(List<? extends JobRequest<?, ?>> jobs);

    /**
     * Begins an attempt, before its payload is read. Called on the thread of the attempt.
     *
     * @param job the attempt. Its {@link JobContext#traceparent} is the trace context of the enqueue
     * @param links the attempts from which this one follows
     * @param metadata the values of the job's metadata that {@link Windrow.Builder#metadataInLogs} names, by their names
     */
    Running running(JobContext job, List<Link> links, Map<String, String> metadata);

    /**
     * Begins an attempt in a call of a batch handler, like {@link #running}. The attempts of a call overlap on one thread and end in any order and on
     * any thread. So an implementation must not bind the attempt to the thread. The default does not trace it.
     *
     * @return null to leave the attempt untraced
     */
    default @Nullable Running runningInBatch(JobContext job, List<Link> links, Map<String, String> metadata) {
        return null;
    }

    /** An enqueue that is under way. It ends by {@link #written} or {@link #failed}, once. */
    interface Enqueuing {
        /** Returns the trace context for the jobs that have none, at most 200 characters of printable ASCII; null for none. */
        @Nullable String traceparent();

        /**
         * Ends the enqueue with success: the jobs are durable, or were written inside the caller's transaction. Perhaps on another thread.
         *
         * @param ids the ids of the jobs, in order. If an existing job holds a dedupe key, the id is the one of that job
         */
        void written(List<Long> ids);

        /** Ends the enqueue without success: nothing was written, or the outcome is unknown. Perhaps on another thread. */
        void failed(Throwable failure);
    }

    /** An attempt that is under way. */
    interface Running {
        /**
         * Returns the trace context of this attempt, at most 200 characters of printable ASCII; null for none. It is in the log lines of the
         * attempt's thread. It is stored with the attempt, and with the next job of its chain.
         */
        @Nullable String traceparent();

        /**
         * Ends the attempt. Called once, on the thread on which the attempt began, before its outcome is recorded.
         *
         * @param outcome the outcome. Null if this worker does not decide it any more: the job was taken away, was handed back before the handler
         *     ended, or its result could not be written
         * @param errorCode the error code of the failure, {@link ErrorCodes#NOT_STORED} if the result could not be written, or null
         * @param failure the exception of the handler, or null
         */
        void ended(@Nullable AttemptOutcome outcome, @Nullable String errorCode, @Nullable Throwable failure);
    }

    /**
     * An attempt from which another one follows.
     *
     * @param kind the relation of the two attempts
     * @param job the id of its job
     * @param traceparent its trace context, from {@link Running#traceparent}
     */
    record Link(Kind kind, long job, String traceparent) {
        /** The relations of an attempt to the one that follows from it. */
        public enum Kind {
            /** The last attempt of the same job. */
            ATTEMPT,
            /** The last attempt of a job on which the job depended. */
            PARENT
        }
    }
}
