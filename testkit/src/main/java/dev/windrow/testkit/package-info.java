/**
 * Test support for applications: {@link dev.windrow.testkit.WindrowTest}, an extension of JUnit for tests of jobs, and {@link
 * dev.windrow.testkit.ManualTime}, a clock driven by hand.
 */
@NullMarked
package dev.windrow.testkit;

import org.jspecify.annotations.NullMarked;
