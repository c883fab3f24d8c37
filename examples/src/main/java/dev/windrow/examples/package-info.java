/** An example of each pattern: one small program each, which prints what happens. */
@NullMarked
package dev.windrow.examples;

import org.jspecify.annotations.NullMarked;
