/** Limits: pauses, limits and rates of queues, job types and concurrency keys. The commands. */
@NullMarked
package dev.windrow.cli.limit;

import org.jspecify.annotations.NullMarked;
