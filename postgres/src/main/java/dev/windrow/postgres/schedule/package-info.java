/** Schedules: jobs by cron expressions and fixed intervals. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.schedule;

import org.jspecify.annotations.NullMarked;
