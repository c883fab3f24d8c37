/** Monitoring: health, diagnosis, audit, listeners and traces. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.monitor;

import org.jspecify.annotations.NullMarked;
