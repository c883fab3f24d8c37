/** Steps: durable steps of a handler, signals, and jobs that are completed from outside. The part of the store interface. */
@NullMarked
package dev.windrow.store.step;

import org.jspecify.annotations.NullMarked;
