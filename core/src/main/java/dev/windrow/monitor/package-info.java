/** Monitoring: statistics, health, diagnosis, audit, listeners and traces. */
@NullMarked
package dev.windrow.monitor;

import org.jspecify.annotations.NullMarked;
