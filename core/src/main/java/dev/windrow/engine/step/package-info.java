/** Steps: durable steps of a handler, signals, and jobs that are completed from outside. The engine's part. */
@NullMarked
package dev.windrow.engine.step;

import org.jspecify.annotations.NullMarked;
