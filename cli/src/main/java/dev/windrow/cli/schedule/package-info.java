/** Schedules: jobs by the clock: cron expressions and fixed intervals. The commands. */
@NullMarked
package dev.windrow.cli.schedule;

import org.jspecify.annotations.NullMarked;
