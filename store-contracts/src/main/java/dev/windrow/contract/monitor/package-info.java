/** The contracts for monitoring: diagnosis, statistics and throughput. */
@NullMarked
package dev.windrow.contract.monitor;

import org.jspecify.annotations.NullMarked;
