/** Schedules: jobs by the clock, at cron expressions and at fixed intervals. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.schedule;

import org.jspecify.annotations.NullMarked;
