/** The contracts for pauses, limits and rates of queues, job types and concurrency keys. */
@NullMarked
package dev.windrow.contract.limit;

import org.jspecify.annotations.NullMarked;
