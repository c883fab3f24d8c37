/** Monitoring: health, diagnosis, audit, listeners and traces. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.monitor;

import org.jspecify.annotations.NullMarked;
