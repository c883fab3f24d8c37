/** The rules that both stores share for schedules: jobs by cron expressions and fixed intervals. */
@NullMarked
package dev.windrow.store.sql.schedule;

import org.jspecify.annotations.NullMarked;
