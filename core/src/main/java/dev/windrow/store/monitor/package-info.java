/** The part of the store interface for monitoring: diagnosis and throughput. */
@NullMarked
package dev.windrow.store.monitor;

import org.jspecify.annotations.NullMarked;
