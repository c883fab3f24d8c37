/** Limits: pauses, limits and rates of queues, job types and concurrency keys. The contracts. */
@NullMarked
package dev.windrow.testkit.contract.limit;

import org.jspecify.annotations.NullMarked;
