/** The rules that both stores share for monitoring: diagnosis, statistics and throughput. */
@NullMarked
package dev.windrow.store.sql.monitor;

import org.jspecify.annotations.NullMarked;
