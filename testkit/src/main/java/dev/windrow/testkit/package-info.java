/**
 * Test support. Users get {@link dev.windrow.testkit.WindrowTest}, an extension of JUnit for tests of jobs, and {@link dev.windrow.testkit.ManualTime},
 * a clock driven by hand. Authors of stores get the contract suites. Each suite is an abstract class for a command, to be subclassed with the
 * author's store.
 */
@NullMarked
package dev.windrow.testkit;

import org.jspecify.annotations.NullMarked;
