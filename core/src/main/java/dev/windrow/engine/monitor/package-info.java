/** Monitoring: health, diagnosis, audit, listeners and traces. The engine's part. */
@NullMarked
package dev.windrow.engine.monitor;

import org.jspecify.annotations.NullMarked;
