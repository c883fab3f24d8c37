/** Limits: pauses, limits and rates of queues, job types and concurrency keys. */
@NullMarked
package dev.windrow.limit;

import org.jspecify.annotations.NullMarked;
