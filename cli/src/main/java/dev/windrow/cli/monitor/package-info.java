/** Monitoring: health, diagnosis, audit, listeners and traces. The commands. */
@NullMarked
package dev.windrow.cli.monitor;

import org.jspecify.annotations.NullMarked;
