/** Schedules: jobs by the clock: cron expressions and fixed intervals. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.schedule;

import org.jspecify.annotations.NullMarked;
