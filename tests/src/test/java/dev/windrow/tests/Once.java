package dev.windrow.tests;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Tests that the second JDK of {@code .ci/run} cannot tell anything new about, each of which has a reason: it compares text with
 * text or code with rules; it runs a program that is not ours; or it is about the words of a command, while what the command does is
 * tested on both JDKs, by the contract classes and the tests of the engine, and starting a process by the other tests of the
 * command line. Never a contract, a crash, a fault, a race.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Tag("once")
public @interface Once {}
