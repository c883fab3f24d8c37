package dev.windrow.engine.worker;

import dev.windrow.Worker;

/** The counts of a worker at one moment. */
record WorkerTotals(
        long completed, long failed, long cancelled, long retried, long snoozed, long parked, long handedBack)
        implements Worker.Totals {}
