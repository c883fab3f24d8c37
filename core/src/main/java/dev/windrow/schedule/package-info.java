/** Schedules: jobs by the clock: cron expressions and fixed intervals. */
@NullMarked
package dev.windrow.schedule;

import org.jspecify.annotations.NullMarked;
