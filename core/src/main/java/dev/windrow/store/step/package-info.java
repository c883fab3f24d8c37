/** The commands of the store interface for durable steps of a handler, signals, and external completion. */
@NullMarked
package dev.windrow.store.step;

import org.jspecify.annotations.NullMarked;
