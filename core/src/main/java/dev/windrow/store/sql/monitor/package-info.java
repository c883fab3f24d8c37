/** Monitoring: health, diagnosis, audit, listeners and traces. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.monitor;

import org.jspecify.annotations.NullMarked;
