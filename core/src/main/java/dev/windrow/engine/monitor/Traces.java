package dev.windrow.engine.monitor;

import dev.windrow.AttemptOutcome;
import dev.windrow.Enqueued;
import dev.windrow.JobContext;
import dev.windrow.JobRequest;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.engine.worker.Attempt;
import dev.windrow.monitor.Tracing;
import dev.windrow.store.LogThrottle;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Calls a {@link Tracing}, if the program has one. Its exceptions never reach a job. */
public final class Traces {
    private static final Logger log = SafeLogger.of(Traces.class);
    private static final int MAX_TRACEPARENT = 200;

    private final @Nullable Tracing tracing;
    private final OpenStore store;
    private final LogThrottle failures;

    private final Enqueue untraced = new Enqueue(null);
    private final Run untracedRun = new Run(null);

    public Traces(@Nullable Tracing tracing, OpenStore store, TimeSource time) {
        this.tracing = tracing;
        this.store = store;
        this.failures = new LogThrottle(time);
    }

    /** Begins to trace the enqueuing of one job. */
    public Enqueue enqueuing(JobRequest<?, ?> job) {
        return tracing == null ? untraced : enqueuing(tracing, List.of(job));
    }

    /** Begins to trace the enqueuing of jobs. */
    public Enqueue enqueuing(List<? extends JobRequest<?, ?>> jobs) {
        return tracing == null ? untraced : enqueuing(tracing, jobs);
    }

    private Enqueue enqueuing(Tracing tracing, List<? extends JobRequest<?, ?>> jobs) {
        try {
            return new Enqueue(tracing.enqueuing(jobs));
        } catch (Throwable e) {
            failed(e);
            return untraced;
        }
    }

    /** Begins to trace an attempt on this thread. */
    public Run running(Attempt attempt) {
        return running(attempt, Tracing::running);
    }

    /** Begins to trace an attempt in a call of a batch handler. */
    public Run runningInBatch(Attempt attempt) {
        return running(attempt, Tracing::runningInBatch);
    }

    private interface Begin {
        Tracing.@Nullable Running of(
                Tracing tracing, JobContext job, List<Tracing.Link> links, Map<String, String> metadata);
    }

    private Run running(Attempt attempt, Begin begin) {
        if (tracing == null) {
            return untracedRun;
        }
        try {
            return new Run(begin.of(tracing, attempt, links(attempt.id()), attempt.loggedMetadata()));
        } catch (Throwable e) {
            failed(e);
            return untracedRun;
        }
    }

    /** Reads the span links of a job. If that fails, the job still runs, and is traced without links. */
    private List<Tracing.Link> links(long job) {
        try {
            return store.links(job);
        } catch (WindrowException e) {
            log.debug("The span links of job {} could not be read: its trace has no links", job, e);
            return List.of();
        }
    }

    private void failed(Throwable e) {
        failures.tell(more -> log.warn("The tracing failed; the job continues without it{}", more, e));
    }

    /** Returns the trace context; null if the tracing fails, has none, or returns a text that cannot be stored. */
    private @Nullable String said(Supplier<@Nullable String> says) {
        try {
            String traceparent = says.get();
            if (traceparent == null || traceparent.isEmpty()) {
                return null;
            }
            if (traceparent.length() > MAX_TRACEPARENT || !traceparent.chars().allMatch(c -> c >= ' ' && c <= '~')) {
                throw new IllegalStateException(
                        "a trace context of %d characters cannot be stored: at most %d, each of printable ASCII"
                                .formatted(traceparent.length(), MAX_TRACEPARENT));
            }
            return traceparent;
        } catch (Throwable e) {
            failed(e);
            return null;
        }
    }

    /** A traced enqueue. */
    public final class Enqueue {
        private final Tracing.@Nullable Enqueuing enqueuing;
        private final @Nullable String traceparent;

        Enqueue(Tracing.@Nullable Enqueuing enqueuing) {
            this.enqueuing = enqueuing;
            this.traceparent = enqueuing == null ? null : said(enqueuing::traceparent);
        }

        /** Returns the job with the trace context. */
        public JobRequest<?, ?> traced(JobRequest<?, ?> job) {
            return with(job, traceparent);
        }

        public void written(Enqueued<?> job) {
            if (enqueuing != null) {
                written(List.of(job.id()));
            }
        }

        public void written(Collection<? extends Enqueued<?>> jobs) {
            if (enqueuing != null) {
                written(jobs.stream().map(job -> job.id()).toList());
            }
        }

        public void written(List<Long> ids) {
            if (enqueuing != null) {
                try {
                    enqueuing.written(ids);
                } catch (Throwable e) {
                    Traces.this.failed(e);
                }
            }
        }

        public void failed(Throwable failure) {
            if (enqueuing != null) {
                try {
                    enqueuing.failed(failure);
                } catch (Throwable e) {
                    Traces.this.failed(e);
                }
            }
        }
    }

    /** A traced attempt. */
    public final class Run {
        private final Tracing.@Nullable Running running;
        private final @Nullable String traceparent;
        private boolean over;

        Run(Tracing.@Nullable Running running) {
            this.running = running;
            this.traceparent = running == null ? null : said(running::traceparent);
        }

        @Nullable public String traceparent() {
            return traceparent;
        }

        /** Ends the trace; later calls have no effect. Called on the thread on which it began. */
        public void ended(@Nullable AttemptOutcome outcome, @Nullable String errorCode, @Nullable Throwable failure) {
            if (running != null && !over) {
                over = true;
                try {
                    running.ended(outcome, errorCode, failure);
                } catch (Throwable e) {
                    Traces.this.failed(e);
                }
            }
        }
    }

    /** Returns the job with this trace context, unless it has its own. */
    public static JobRequest<?, ?> with(JobRequest<?, ?> job, @Nullable String traceparent) {
        return traceparent == null || job.traceparent() != null ? job : job.withTraceparent(traceparent);
    }
}
