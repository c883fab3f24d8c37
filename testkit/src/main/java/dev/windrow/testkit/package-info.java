/**
 * Test support. For users: {@link dev.windrow.testkit.ManualTime}, a clock driven by hand. For authors of stores: the
 * contract suites, one abstract class a verb, to be subclassed with a store of their own.
 */
@NullMarked
package dev.windrow.testkit;

import org.jspecify.annotations.NullMarked;
