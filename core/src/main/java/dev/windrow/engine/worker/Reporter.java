package dev.windrow.engine.worker;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.TimeSource;
import dev.windrow.engine.Answers;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.Loop;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import java.time.Duration;
import java.util.function.LongConsumer;
import org.slf4j.Logger;

/**
 * Sends the reports of a worker's attempts. While an attempt runs, the watch loop sends them at most once a second. The
 * thread that settles the attempt sends the rest right before the settlement. Reports that could not be written are
 * sent again.
 */
final class Reporter {
    /** The shortest time between two reports of an attempt, and between its begin and the first one. */
    static final long INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();

    private static final Logger log = SafeLogger.of(Reporter.class);

    private final String worker;
    private final OpenStore store;
    private final TimeSource time;
    private final LongConsumer wakeBy;

    /**
     * Creates a reporter.
     *
     * @param wakeBy called by handlers: the watch loop should call {@link #sendIfDue} at this time
     */
    Reporter(Settings settings, EngineContext context, LongConsumer wakeBy) {
        this.worker = settings.name();
        this.store = context.store();
        this.time = context.time();
        this.wakeBy = wakeBy;
    }

    /** Returns the name of the worker. */
    String worker() {
        return worker;
    }

    UnsentReports reports(Attempt attempt) {
        return new UnsentReports(attempt, worker);
    }

    /** Wakes the watch loop for the first unsent report of an attempt. */
    void waits(UnsentReports reports) {
        wakeBy.accept(reports.sentNanos() + INTERVAL_NANOS);
    }

    /** Sends the reports if they are due; returns the nanoseconds until the next ones are due. */
    long sendIfDue(Attempt attempt, long now) {
        UnsentReports reports = attempt.reportsIfAny();
        if (reports == null || !reports.isWaiting()) {
            return Loop.UNTIL_SIGNALLED;
        }
        long left = reports.sentNanos() + INTERVAL_NANOS - now;
        if (left > 0) {
            return left;
        }
        send(attempt, reports);
        return Loop.UNTIL_SIGNALLED;
    }

    /** Sends the remaining reports. The thread that settles the attempt calls it before each try to settle. */
    void sendRest(Attempt attempt) {
        UnsentReports reports = attempt.reportsIfAny();
        if (reports != null) {
            send(attempt, reports);
        }
    }

    private void send(Attempt attempt, UnsentReports reports) {
        // The watch loop and the slot that settles may send at the same time. Reports taken by one of them must not
        // arrive after the other's settlement.
        reports.sending.lock();
        try {
            UnsentReports.Taken taken = reports.take(time.nanoTime());
            if (taken != null) {
                Answers.then(store.submit(taken.report()), (held, failure) -> {
                    if (failure != null) {
                        failed(attempt, reports, taken, failure);
                    } else if (!Boolean.TRUE.equals(held)) {
                        reports.close();
                    }
                });
            }
        } finally {
            reports.sending.unlock();
        }
    }

    /** Handles a failed report, on a thread of the store. */
    private void failed(Attempt attempt, UnsentReports reports, UnsentReports.Taken taken, Throwable failure) {
        log.debug("What {} reported could not be written, and is sent again", attempt, failure);
        // A report that may have been written is not written again.
        if (!(failure instanceof OutcomeUnknownException)) {
            reports.putBack(taken);
            waits(reports);
        }
    }
}
