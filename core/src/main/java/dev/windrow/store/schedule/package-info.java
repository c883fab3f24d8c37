/** The part of the store interface for schedules: jobs by cron expressions and fixed intervals. */
@NullMarked
package dev.windrow.store.schedule;

import org.jspecify.annotations.NullMarked;
