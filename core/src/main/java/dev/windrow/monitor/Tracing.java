package dev.windrow.monitor;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.JobContext;
import dev.windrow.JobRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Follows jobs from where they are enqueued to where they run, in whatever process: hears of each enqueue and of each attempt, and says
 * what trace context is stored with them, in the form of the W3C ({@code traceparent}). One for each {@code Windrow}, which is given it before
 * it is opened. Used by many threads at once. What it throws is logged and ignored: the job continues untraced.
 */
public interface Tracing {
    /**
     * Jobs are about to be written, by one call; on the thread of the caller. A job that has a trace context of its own keeps it. The job with
     * which a chain goes on at the end of an attempt is written with that, and not told here: it gets the context of the {@link Running}.
     *
     * @param jobs what is enqueued, at least one
     */
    Enqueuing enqueuing(List<? extends JobRequest<?, ?>> jobs);

    /**
     * An attempt begins on this thread, before its payload is read.
     *
     * @param job the attempt, whose {@link JobContext#traceparent} is that of the enqueue
     * @param links the attempts from which this one follows
     */
    Running running(JobContext job, List<Link> links);

    /** An enqueue that is under way. Ends by {@link #written} or {@link #failed}, once. */
    interface Enqueuing {
        /** What is stored with the jobs that have no trace context of their own; null for none. At most 200 characters of printable ASCII. */
        @Nullable String traceparent();

        /**
         * The jobs are written: durably, or inside the transaction of the caller. Perhaps on another thread.
         *
         * @param ids theirs, in order; of a job that was there already by its dedupe key, the one that is there
         */
        void written(List<Long> ids);

        /** Nothing was written, or nobody knows. Perhaps on another thread. */
        void failed(Throwable failure);
    }

    /** An attempt that is under way. */
    interface Running {
        /**
         * The context of this attempt: it is in the log lines of its thread, is kept with the attempt, and stored with the job with which its
         * chain goes on. Null for none; at most 200 characters of printable ASCII.
         */
        @Nullable String traceparent();

        /**
         * The attempt has ended, once, on the thread on which it began. How it ended is about to be recorded.
         *
         * @param outcome how; null if nobody here decides that any more: the job was taken away, or given back before the handler ended, or its
         *     result could not be written
         * @param errorCode why it failed, {@link ErrorCodes#NOT_STORED} if its result could not be written, or null
         * @param failure what the handler threw, or null
         */
        void ended(@Nullable AttemptOutcome outcome, @Nullable String errorCode, @Nullable Throwable failure);
    }

    /**
     * An attempt from which another one follows.
     *
     * @param kind how
     * @param job its job
     * @param traceparent its context, as {@link Running#traceparent} said
     */
    record Link(Kind kind, long job, String traceparent) {
        /** How one attempt follows from another. */
        public enum Kind {
            /** The job was tried before: its last attempt. */
            ATTEMPT,
            /** The job depended on another one: that one's last attempt. */
            PARENT
        }
    }
}
