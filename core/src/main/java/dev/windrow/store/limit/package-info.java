/** The commands of the store interface for pauses, limits and rates of queues, job types and concurrency keys. */
@NullMarked
package dev.windrow.store.limit;

import org.jspecify.annotations.NullMarked;
