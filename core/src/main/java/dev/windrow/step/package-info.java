/** Steps: durable steps of a handler, and signals. */
@NullMarked
package dev.windrow.step;

import org.jspecify.annotations.NullMarked;
