/** Limits: pauses, limits and rates of queues, job types and concurrency keys. The part of the store interface. */
@NullMarked
package dev.windrow.store.limit;

import org.jspecify.annotations.NullMarked;
