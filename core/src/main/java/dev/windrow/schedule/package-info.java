/** Schedules: jobs at the times of cron expressions or at fixed intervals. */
@NullMarked
package dev.windrow.schedule;

import org.jspecify.annotations.NullMarked;
