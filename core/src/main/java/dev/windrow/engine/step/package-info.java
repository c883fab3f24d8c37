/** Steps: durable steps of a handler, signals, and external completion of jobs. The engine's part. */
@NullMarked
package dev.windrow.engine.step;

import org.jspecify.annotations.NullMarked;
