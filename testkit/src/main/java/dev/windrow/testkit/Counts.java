package dev.windrow.testkit;

import dev.windrow.Worker;

/** The ends of attempts that one call of a test has run. */
record Counts(long completed, long failed, long cancelled, long retried, long snoozed, long parked, long handedBack)
        implements Worker.Totals {
    static Worker.Totals since(Worker.Totals start, Worker.Totals now) {
        return new Counts(
                /* completed= */ now.completed() - start.completed(),
                /* failed= */ now.failed() - start.failed(),
                /* cancelled= */ now.cancelled() - start.cancelled(),
                /* retried= */ now.retried() - start.retried(),
                /* snoozed= */ now.snoozed() - start.snoozed(),
                /* parked= */ now.parked() - start.parked(),
                /* handedBack= */ now.handedBack() - start.handedBack());
    }
}
