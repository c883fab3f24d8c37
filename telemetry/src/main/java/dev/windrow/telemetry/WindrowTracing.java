package dev.windrow.telemetry;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobContext;
import dev.windrow.JobRequest;
import dev.windrow.monitor.Tracing;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Traces and measures jobs with OpenTelemetry, by its conventions for messaging. A {@code PRODUCER} span covers each
 * enqueue. A {@code CONSUMER} span covers each attempt, and is current while its handler runs. The spans of a batch
 * handler's attempts are not current. Immutable.
 *
 * <pre>{@code
 * Windrow.configure(store).tracing(WindrowTracing.of(openTelemetry)).open();
 * }</pre>
 *
 * <p>An attempt is a child of the enqueue, in the same trace. It has links to the attempt before it and to the last
 * attempts of the jobs on which its job depended. The next job of a chain is a child of the attempt that continued the
 * chain. The names of spans, attributes and metrics are in the guide to telemetry. Of a context only its
 * {@code traceparent} is stored, neither {@code tracestate} nor baggage.
 */
public final class WindrowTracing implements Tracing {
    private static final String SCOPE = "dev.windrow";

    private final Tracer tracer;
    private final Instruments instruments;
    private final boolean linked;
    private final boolean namedByType;

    private WindrowTracing(Tracer tracer, Instruments instruments, boolean linked, boolean namedByType) {
        this.tracer = tracer;
        this.instruments = instruments;
        this.linked = linked;
        this.namedByType = namedByType;
    }

    /** Returns a tracing that reports to this OpenTelemetry. */
    public static WindrowTracing of(OpenTelemetry telemetry) {
        Objects.requireNonNull(telemetry, "telemetry");
        return new WindrowTracing(telemetry.getTracer(SCOPE), new Instruments(telemetry, SCOPE), false, false);
    }

    /**
     * Returns a tracing in which each attempt begins its own trace, with a link to the enqueue, instead of a child in
     * its trace. It suits jobs that run days later, and chains without an end.
     */
    public WindrowTracing linked() {
        return new WindrowTracing(tracer, instruments, true, namedByType);
    }

    /**
     * Returns a tracing whose spans are named after the job's type, as in {@code run image.resize}, and not after its
     * queue.
     */
    public WindrowTracing namedByType() {
        return new WindrowTracing(tracer, instruments, linked, true);
    }

    @Override
    public Enqueuing enqueuing(List<? extends JobRequest<?, ?>> jobs) {
        JobRequest<?, ?> first = jobs.get(0);
        String queue = first.queue();
        String type = first.type().name();
        for (JobRequest<?, ?> job : jobs) {
            queue = queue != null && queue.equals(job.queue()) ? queue : null;
            type = type != null && type.equals(job.type().name()) ? type : null;
        }
        Attributes common = common(MessagingKeys.ENQUEUE, MessagingKeys.SEND, queue, type);
        SpanBuilder span = tracer.spanBuilder(name(MessagingKeys.ENQUEUE, queue, type))
                .setSpanKind(SpanKind.PRODUCER)
                .setAllAttributes(common);
        if (jobs.size() > 1) {
            span.setAttribute(MessagingKeys.BATCH_COUNT, (long) jobs.size());
        }
        return new Producer(span.startSpan(), common, jobs.size());
    }

    @Override
    public Running running(JobContext job, List<Link> links, Map<String, String> metadata) {
        Consumer attempt = consumer(job, links, metadata);
        attempt.makeCurrent();
        return attempt;
    }

    @Override
    public Running runningInBatch(JobContext job, List<Link> links, Map<String, String> metadata) {
        return consumer(job, links, metadata);
    }

    private Consumer consumer(JobContext job, List<Link> links, Map<String, String> metadata) {
        Attributes common = common(MessagingKeys.RUN, MessagingKeys.PROCESS, job.queue(), job.type());
        SpanBuilder span = tracer.spanBuilder(name(MessagingKeys.RUN, job.queue(), job.type()))
                .setSpanKind(SpanKind.CONSUMER)
                .setAllAttributes(common)
                .setAttribute(MessagingKeys.MESSAGE_ID, Long.toString(job.id()))
                .setAttribute(MessagingKeys.CLIENT_ID, job.worker())
                .setAttribute(MessagingKeys.JOB_ATTEMPT, (long) job.attempt());
        metadata.forEach((name, value) -> span.setAttribute(MessagingKeys.METADATA + name, value));
        SpanContext enqueued = TraceparentText.read(job.traceparent());
        if (!enqueued.isValid() || linked) {
            // A slot's thread may have inherited the context that was current when its worker was started.
            span.setNoParent();
            if (enqueued.isValid()) {
                span.addLink(enqueued, link(MessagingKeys.ENQUEUE, job.id()));
            }
        } else {
            span.setParent(Context.root().with(Span.wrap(enqueued)));
        }
        for (Link origin : links) {
            SpanContext other = TraceparentText.read(origin.traceparent());
            if (other.isValid()) {
                span.addLink(other, link(origin.kind().name().toLowerCase(Locale.ROOT), origin.job()));
            }
        }
        instruments.began(common);
        return new Consumer(span.startSpan(), common);
    }

    private String name(String operation, @Nullable String queue, @Nullable String type) {
        String of = namedByType ? type : queue;
        return of == null ? operation : operation + " " + of;
    }

    private static Attributes common(
            String operation, String operationType, @Nullable String queue, @Nullable String type) {
        AttributesBuilder attributes = Attributes.builder()
                .put(MessagingKeys.SYSTEM, MessagingKeys.WINDROW)
                .put(MessagingKeys.OPERATION_NAME, operation)
                .put(MessagingKeys.OPERATION_TYPE, operationType);
        if (queue != null) {
            attributes.put(MessagingKeys.DESTINATION, queue);
        }
        if (type != null) {
            attributes.put(MessagingKeys.JOB_TYPE, type);
        }
        return attributes.build();
    }

    private static Attributes link(String kind, long job) {
        return Attributes.of(MessagingKeys.LINK_KIND, kind, MessagingKeys.LINK_JOB, Long.toString(job));
    }

    private static Attributes withError(Attributes common, @Nullable String error) {
        return error == null
                ? common
                : common.toBuilder().put(MessagingKeys.ERROR_TYPE, error).build();
    }

    private static String words(@Nullable Throwable failure) {
        return failure == null ? "" : Objects.requireNonNullElse(failure.getMessage(), "");
    }

    /** A traced enqueue. */
    private final class Producer implements Enqueuing {
        private final Span span;
        private final Attributes common;
        private final int jobs;
        private final long begin = System.nanoTime();

        Producer(Span span, Attributes common, int jobs) {
            this.span = span;
            this.common = common;
            this.jobs = jobs;
        }

        @Override
        public @Nullable String traceparent() {
            return TraceparentText.of(span);
        }

        @Override
        public void written(List<Long> ids) {
            if (ids.size() == 1) {
                span.setAttribute(MessagingKeys.MESSAGE_ID, Long.toString(ids.get(0)));
            }
            end(null);
        }

        @Override
        public void failed(Throwable failure) {
            String error = failure.getClass().getName();
            span.recordException(failure);
            span.setAttribute(MessagingKeys.ERROR_TYPE, error);
            span.setStatus(StatusCode.ERROR, words(failure));
            end(error);
        }

        private void end(@Nullable String error) {
            span.end();
            instruments.enqueued(withError(common, error), jobs, System.nanoTime() - begin);
        }
    }

    /** A traced attempt. */
    private final class Consumer implements Running {
        private final Span span;
        private final Attributes common;
        private @Nullable Scope scope;
        private final long begin = System.nanoTime();

        Consumer(Span span, Attributes common) {
            this.span = span;
            this.common = common;
        }

        // The scope is closed at the end of the attempt, in another method.
        @SuppressWarnings("MustBeClosedChecker")
        void makeCurrent() {
            scope = span.makeCurrent();
        }

        @Override
        public @Nullable String traceparent() {
            return TraceparentText.of(span);
        }

        @Override
        public void ended(@Nullable AttemptOutcome outcome, @Nullable String errorCode, @Nullable Throwable failure) {
            if (scope != null) {
                scope.close();
            }
            // A job that is snoozed, parked, handed back or cancelled has no error.
            String error =
                    outcome == null ? Objects.requireNonNullElse(errorCode, MessagingKeys.TAKEN_AWAY) : errorCode;
            if (outcome != null) {
                span.setAttribute(MessagingKeys.JOB_OUTCOME, outcome.name());
            }
            if (error != null) {
                if (failure != null) {
                    span.recordException(failure);
                }
                span.setAttribute(MessagingKeys.ERROR_TYPE, error);
                span.setStatus(StatusCode.ERROR, words(failure));
            }
            span.end();
            instruments.ran(withError(common, error), System.nanoTime() - begin);
        }
    }
}
