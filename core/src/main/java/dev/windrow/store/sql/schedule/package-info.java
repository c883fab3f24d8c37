/** Schedules: jobs by the clock: cron expressions and fixed intervals. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.schedule;

import org.jspecify.annotations.NullMarked;
