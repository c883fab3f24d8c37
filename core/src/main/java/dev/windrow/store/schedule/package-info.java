/** Schedules: jobs by the clock: cron expressions and fixed intervals. The part of the store interface. */
@NullMarked
package dev.windrow.store.schedule;

import org.jspecify.annotations.NullMarked;
