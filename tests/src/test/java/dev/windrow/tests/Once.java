package dev.windrow.tests;

import dev.windrow.tests.stores.OnceOnEachStore;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Marks tests for which the second JDK of {@code .ci/run} brings no new result. Tests that run on both stores have {@link OnceOnEachStore} instead.
 * Each marked test has one of these reasons:
 *
 * <ul>
 *   <li>It compares text with text, or code with rules, or it runs a program of another project.
 *   <li>It checks the words of a command. The contract classes and the tests of the engine check the effect of the command.
 *   <li>It checks the database under a kill, a clock step, a full disk or many processes at once. Or it checks rows that are added and deleted.
 *       {@code KillStormTest}, {@code ManyProcessesTest}, {@code LeasesAcrossProcessesTest} and {@code ServerRestartTest} run on both JDKs.
 * </ul>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Tag("once")
public @interface Once {}
