package dev.windrow.spring;

import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a handler method repeatedly, by a {@linkplain dev.windrow.schedule.Schedule schedule} in the store. Each due time enqueues one job, however
 * many processes the application has. The schedule is saved when the worker starts.
 *
 * <pre>{@code
 * @JobSchedule(name = "report.nightly", cron = "0 3 * * *", zone = "Europe/Berlin")
 * void report() { ... }
 * }</pre>
 *
 * <p>The method is that of a {@link JobHandler} without an input. Without that annotation the name of the schedule is the name of the job type.
 * The texts may contain placeholders: {@code ${...}}. The property {@code windrow.schedules.orphans} decides about schedules that the application
 * no longer has.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(JobSchedules.class)
@Documented
public @interface JobSchedule {
    /** The text that switches a schedule off: {@code "-"}. A stored schedule of that name is paused. */
    String DISABLED = "-";

    /** The name of the schedule in the store. */
    String name();

    /** The cron expression, or {@value #DISABLED}. Either this or {@link #every}. */
    String cron() default "";

    /** The interval, such as {@code 10m} or {@code PT10M}, from 1s; or {@value #DISABLED}. Either this or {@link #cron}. */
    String every() default "";

    /** The zone of the cron expression, such as {@code Europe/Berlin}; default UTC. */
    String zone() default "";

    /** The policy for missed due times. */
    Misfire misfire() default Misfire.ONCE;

    /** The policy for due times at which the last job has not ended. */
    Overlap overlap() default Overlap.ALLOW;

    /** The queue of the jobs; default that of the type. */
    String queue() default "";
}
