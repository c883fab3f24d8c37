package dev.windrow.engine.monitor;

import dev.windrow.engine.worker.Attempt;
import dev.windrow.monitor.WindrowEvent;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.helpers.NOPMDCAdapter;

/**
 * The diagnostic context (SLF4J's MDC) of a thread while it works on a job. It contains {@code job}, {@code type},
 * {@code queue}, {@code attempt} and {@code worker}, and {@code trace} and {@code span} if the job has them. It contains
 * {@code windrow.metadata.NAME} for the metadata that the program names. After the work, the former context is restored. A
 * call of a batch handler has {@code type} and {@code worker} only.
 */
public final class LogContext {
    /** True if the logging library has a context. */
    private static final boolean KEPT = !(MDC.getMDCAdapter() instanceof NOPMDCAdapter);

    private LogContext() {}

    /** Work on a job. */
    public interface Work {
        void run();
    }

    /** Sets the context of an attempt; returns the former context. */
    public static @Nullable Map<String, String> enter(Attempt attempt) {
        if (!KEPT) {
            return null;
        }
        Map<String, String> before = MDC.getCopyOfContextMap();
        job(attempt.id(), attempt.type(), attempt.attempt());
        MDC.put("queue", attempt.queue());
        MDC.put("worker", attempt.worker());
        attempt.loggedMetadata().forEach((name, value) -> MDC.put("windrow.metadata." + name, value));
        String own = attempt.runTraceparent();
        TraceContext trace = TraceContext.of(own == null ? attempt.traceparent() : own);
        if (trace != null) {
            MDC.put("trace", trace.trace());
            MDC.put("span", trace.span());
        }
        return before;
    }

    /** Sets the context of a call of a batch handler: {@code type} and {@code worker}. Returns the former context. */
    public static @Nullable Map<String, String> enterBatch(Attempt first) {
        if (!KEPT) {
            return null;
        }
        Map<String, String> before = MDC.getCopyOfContextMap();
        MDC.put("type", first.type());
        MDC.put("worker", first.worker());
        return before;
    }

    /** Restores the former context. */
    public static void leave(@Nullable Map<String, String> before) {
        if (!KEPT) {
            return;
        }
        if (before == null) {
            MDC.clear();
        } else {
            MDC.setContextMap(before);
        }
    }

    /** Runs work on an attempt, on any thread. */
    public static void about(Attempt attempt, Work work) {
        Map<String, String> before = enter(attempt);
        try {
            work.run();
        } finally {
            leave(before);
        }
    }

    /** Runs work on an event, in the context of its job if it has one. */
    public static void about(WindrowEvent event, Work work) {
        Map<String, String> before = KEPT ? MDC.getCopyOfContextMap() : null;
        if (KEPT) {
            if (event instanceof WindrowEvent.AttemptStarted it) {
                job(it.id(), it.type(), it.attempt());
                MDC.put("queue", it.queue());
            } else if (event instanceof WindrowEvent.AttemptEnded it) {
                job(it.id(), it.type(), it.attempt());
                MDC.put("queue", it.queue());
            } else if (event instanceof WindrowEvent.AttemptLost it) {
                job(it.id(), it.type(), it.attempt());
            } else if (event instanceof WindrowEvent.HandlerStuck it) {
                job(it.id(), it.type(), it.attempt());
            }
        }
        try {
            work.run();
        } finally {
            leave(before);
        }
    }

    private static void job(long id, String type, int attempt) {
        MDC.put("job", Long.toString(id));
        MDC.put("type", type);
        MDC.put("attempt", Integer.toString(attempt));
    }
}
