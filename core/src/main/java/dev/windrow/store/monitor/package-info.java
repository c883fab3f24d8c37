/** Monitoring: health, diagnosis, audit, listeners and traces. The part of the store interface. */
@NullMarked
package dev.windrow.store.monitor;

import org.jspecify.annotations.NullMarked;
