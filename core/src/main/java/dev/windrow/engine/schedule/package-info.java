/** Schedules: jobs by the clock, from cron expressions and fixed intervals. The engine's part. */
@NullMarked
package dev.windrow.engine.schedule;

import org.jspecify.annotations.NullMarked;
