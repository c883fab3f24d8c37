package dev.windrow.engine;

/**
 * What a worker has recorded since it was started. Counts what is durable: an attempt counts once its end is committed.
 *
 * @param completed attempts that completed their job
 * @param failed attempts after which the job ended {@code FAILED}
 * @param cancelled attempts after which the job ended {@code CANCELLED}, because somebody wanted that
 * @param retried attempts that failed and will be followed by another one
 * @param snoozed attempts after which the job is to be run later, as its handler wanted, no attempt burned
 * @param parked attempts after which the job waits to be ended from outside
 * @param handedBack jobs given back unfinished, no attempt burned
 */
public record WorkerTotals(
        long completed, long failed, long cancelled, long retried, long snoozed, long parked, long handedBack) {}
