/** Limits: pauses, limits and rates of queues, job types and concurrency keys. The engine's part. */
@NullMarked
package dev.windrow.engine.limit;

import org.jspecify.annotations.NullMarked;
