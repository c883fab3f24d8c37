/** Steps: durable steps of a handler, signals, and jobs that are completed from outside. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.step;

import org.jspecify.annotations.NullMarked;
