/** The rules that both stores share for durable steps of a handler, signals, and external completion. */
@NullMarked
package dev.windrow.store.sql.step;

import org.jspecify.annotations.NullMarked;
