/** Steps: durable steps of a handler, signals, and jobs that are completed from outside. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.step;

import org.jspecify.annotations.NullMarked;
