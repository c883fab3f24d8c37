/** Steps: durable steps of a handler, signals, and jobs that are completed from outside. */
@NullMarked
package dev.windrow.step;

import org.jspecify.annotations.NullMarked;
