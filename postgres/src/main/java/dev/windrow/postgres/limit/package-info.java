/** Limits: pauses, limits and rates of queues, job types and concurrency keys. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.limit;

import org.jspecify.annotations.NullMarked;
