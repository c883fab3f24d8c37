package dev.windrow.tests.docs.monitor;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobContext;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.monitor.Tracing;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.telemetry.WindrowMetrics;
import dev.windrow.telemetry.WindrowTracing;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The code of docs/how-to/telemetry.md. */
final class TelemetrySnippet {
    private TelemetrySnippet() {}

    /** A receiver of alerts. */
    interface Pager {
        void call(String text);
    }

    /** Another kind of tracing. */
    interface Tracer {
        Context begin(String name);
    }

    /** The trace context of one operation. */
    interface Context {
        String traceparent();

        void end(String how);
    }

    static Windrow open(Store store, OpenTelemetry openTelemetry, MeterRegistry registry) {
        // region open
        WindrowTracing tracing = WindrowTracing.of(openTelemetry);
        Windrow windrow = Windrow.configure(store).tracing(tracing).open();

        new WindrowMetrics(windrow).bindTo(registry);
        // endregion
        return windrow;
    }

    static Tracing tracing(Tracer tracer) {
        // region tracing
        Tracing tracing = new Tracing() {
            @Override
            public Enqueuing enqueuing(List<? extends JobRequest<?, ?>> jobs) {
                Context span = tracer.begin("enqueue " + jobs.get(0).type().name());
                return new Enqueuing() {
                    @Override
                    public String traceparent() {
                        return span.traceparent();
                    }

                    @Override
                    public void written(List<Long> ids) {
                        span.end("wrote " + ids.size());
                    }

                    @Override
                    public void failed(Throwable failure) {
                        span.end(failure.toString());
                    }
                };
            }

            @Override
            public Running running(JobContext job, List<Link> links, Map<String, String> metadata) {
                Context span = tracer.begin("run " + job.type() + " after " + links.size());
                return new Running() {
                    @Override
                    public String traceparent() {
                        return span.traceparent();
                    }

                    @Override
                    public void ended(
                            @Nullable AttemptOutcome outcome, @Nullable String errorCode, @Nullable Throwable failure) {
                        span.end(String.valueOf(outcome));
                    }
                };
            }
        };
        // endregion
        return tracing;
    }

    static void listen(Windrow windrow, Pager pager) {
        // region listen
        windrow.monitor().addListener(event -> {
            if (event instanceof WindrowEvent.AttemptEnded ended && ended.state() == JobState.FAILED) {
                pager.call("job " + ended.id() + " of type " + ended.type() + " has failed: " + ended.errorCode());
            } else if (event instanceof WindrowEvent.TransactionCommitted commit
                    && commit.took().toSeconds() > 1) {
                pager.call("the disk is slow: " + commit.operations() + " operations took " + commit.took());
            } else if (event instanceof WindrowEvent.JobsClaimed claim
                    && claim.took().toSeconds() > 5) {
                pager.call("a claim of " + claim.count() + " jobs took " + claim.took());
            }
        });
        // endregion
    }
}
