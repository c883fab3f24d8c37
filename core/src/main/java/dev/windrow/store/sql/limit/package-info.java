/** The rules that both stores share for pauses, limits and rates of queues, job types and concurrency keys. */
@NullMarked
package dev.windrow.store.sql.limit;

import org.jspecify.annotations.NullMarked;
