/** Schedules: jobs by the clock: cron expressions and fixed intervals. The engine's part. */
@NullMarked
package dev.windrow.engine.schedule;

import org.jspecify.annotations.NullMarked;
