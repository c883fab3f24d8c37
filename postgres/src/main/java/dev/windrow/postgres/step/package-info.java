/** Steps: durable steps of a handler, signals, and jobs that are completed from outside. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.step;

import org.jspecify.annotations.NullMarked;
