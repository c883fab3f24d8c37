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
 * Sends what the attempts of a worker tell of themselves: of each at most once a second while it runs, by the watch
 * loop; and the rest right before its settlement, by whoever settles it. What could not be written is sent again.
 */
final class Reporter {
    /** How often an attempt reports at most; the first time this long after it began. */
    static final long INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();

    private static final Logger log = SafeLogger.of(Reporter.class);

    private final String worker;
    private final OpenStore store;
    private final TimeSource time;
    private final LongConsumer wakeBy;

    /**
     * @param wakeBy called by handlers: the watch loop should call {@link #sendIfDue} at this time
     */
    Reporter(Settings settings, EngineContext context, LongConsumer wakeBy) {
        this.worker = settings.name();
        this.store = context.store();
        this.time = context.time();
        this.wakeBy = wakeBy;
    }

    UnsentReports reports(Attempt attempt) {
        return new UnsentReports(attempt, worker);
    }

    /** Something waits to be sent where nothing did. */
    void waits(UnsentReports reports) {
        wakeBy.accept(reports.sentNanos() + INTERVAL_NANOS);
    }

    /** Sends what is due; returns how many nanoseconds until more is. */
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

    /** Sends what is left. Called before each try to settle the attempt, by the thread that then settles it. */
    void sendRest(Attempt attempt) {
        UnsentReports reports = attempt.reportsIfAny();
        if (reports != null) {
            send(attempt, reports);
        }
    }

    private void send(Attempt attempt, UnsentReports reports) {
        // Two may send at once: the watch loop, and the slot that settles. What one has taken must not come after the
        // other's settlement.
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

    /** On the store's thread. */
    private void failed(Attempt attempt, UnsentReports reports, UnsentReports.Taken taken, Throwable failure) {
        log.debug("What {} reported could not be written, and is sent again", attempt, failure);
        // What may have been written is not written twice.
        if (!(failure instanceof OutcomeUnknownException)) {
            reports.putBack(taken);
            waits(reports);
        }
    }
}
