/** Schedules: jobs by the clock: cron expressions and fixed intervals. The contracts. */
@NullMarked
package dev.windrow.testkit.contract.schedule;

import org.jspecify.annotations.NullMarked;
