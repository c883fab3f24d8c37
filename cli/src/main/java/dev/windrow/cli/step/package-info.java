/** Steps: durable steps of a handler, signals, and jobs that are completed from outside. The commands. */
@NullMarked
package dev.windrow.cli.step;

import org.jspecify.annotations.NullMarked;
