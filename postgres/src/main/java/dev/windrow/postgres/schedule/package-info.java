/** Schedules: jobs by the clock: cron expressions and fixed intervals. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.schedule;

import org.jspecify.annotations.NullMarked;
