/** Steps: durable steps of a handler, signals, and jobs that are completed externally. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.step;

import org.jspecify.annotations.NullMarked;
