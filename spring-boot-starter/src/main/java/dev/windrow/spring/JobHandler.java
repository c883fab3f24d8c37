package dev.windrow.spring;

import dev.windrow.Handler;
import dev.windrow.JobContext;
import dev.windrow.JobType;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a bean the handler of a job type. The worker of the application calls it for each job of the type, like a {@link Handler}.
 *
 * <pre>{@code
 * @JobHandler("image.resize")
 * Thumbnail resize(Resize input, JobContext job) { ... }
 * }</pre>
 *
 * <p>The method has at most one parameter for the input, and at most one {@link JobContext}, in any order. A method without an input handles a type
 * without one. The returned value is the result; a {@code void} method has none. The method may be of any visibility, and may throw any exception.
 * Advice of the bean applies, such as {@code @Transactional}. Then the method must not be private.
 *
 * <p>If there is a bean of the class {@link JobType} with this name, the handler takes its retry rules, time limit and next types. Its input and
 * output must be those of the method.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface JobHandler {
    /** The name of the job type. It may contain placeholders: {@code ${...}}. */
    String value();

    /** Former names of the type, under which jobs may be stored. They may contain placeholders. */
    String[] aliases() default {};
}
