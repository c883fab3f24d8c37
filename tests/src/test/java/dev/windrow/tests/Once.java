package dev.windrow.tests;

import dev.windrow.tests.stores.OnceOnEachStore;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Tests that the second JDK of {@code .ci/run} cannot tell anything new about, each of which has a reason; those of both stores have {@link OnceOnEachStore} instead:
 *
 * <ul>
 *   <li>it compares text with text or code with rules, or runs a program that is not ours;
 *   <li>it is about the words of a command, while what the command does is tested by the contract classes and the tests of the engine;
 *   <li>it is about what the database makes of a kill, of a clock, of a full disk or of many processes at once, or about rows that come and go. {@code KillStormTest}, {@code
 *       ManyProcessesTest}, {@code LeasesAcrossProcessesTest} and {@code ServerRestartTest} run on both JDKs.
 * </ul>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Tag("once")
public @interface Once {}
