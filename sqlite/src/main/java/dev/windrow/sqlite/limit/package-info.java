/** Limits: pauses, limits and rates of queues, job types and concurrency keys. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.limit;

import org.jspecify.annotations.NullMarked;
