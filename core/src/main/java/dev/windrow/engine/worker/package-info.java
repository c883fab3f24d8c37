/** Workers: slots, attempts, leases, and the end of an attempt. The engine's part. */
@NullMarked
package dev.windrow.engine.worker;

import org.jspecify.annotations.NullMarked;
