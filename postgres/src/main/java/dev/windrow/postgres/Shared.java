package dev.windrow.postgres;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What all transactions of a store share.
 *
 * @param standing whether the queue is still the one that was opened
 * @param names numbers of lanes and actors
 * @param ids job ids
 * @param marks where claims begin
 * @param passedOver where claims have left jobs to others
 * @param clock the server's
 * @param stamps the latest time that a transaction has had
 * @param controlsLock the number of the lock under which what is said of queues and types changes
 */
record Shared(
        Standing standing,
        Names names,
        Ids ids,
        Marks marks,
        PassedOver passedOver,
        ServerClock clock,
        AtomicLong stamps,
        long controlsLock) {}
