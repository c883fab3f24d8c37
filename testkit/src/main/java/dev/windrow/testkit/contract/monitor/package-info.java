/** Monitoring: health, diagnosis, audit, listeners and traces. The contracts. */
@NullMarked
package dev.windrow.testkit.contract.monitor;

import org.jspecify.annotations.NullMarked;
