/** The contracts for schedules: jobs by cron expressions and fixed intervals. */
@NullMarked
package dev.windrow.contract.schedule;

import org.jspecify.annotations.NullMarked;
