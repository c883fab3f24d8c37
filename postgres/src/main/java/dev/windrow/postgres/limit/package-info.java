/** Limits: pauses, limits and rates of queues, job types and concurrency keys. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.limit;

import org.jspecify.annotations.NullMarked;
