/** Limits: pauses, limits and rates of queues, job types and concurrency keys. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.limit;

import org.jspecify.annotations.NullMarked;
