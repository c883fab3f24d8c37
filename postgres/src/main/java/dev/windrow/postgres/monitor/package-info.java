/** Monitoring: health, diagnosis, audit, listeners and traces. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.monitor;

import org.jspecify.annotations.NullMarked;
