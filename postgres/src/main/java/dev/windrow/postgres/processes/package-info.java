/** Processes: the registry of workers, other processes, and background tasks that one of many processes does. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.processes;

import org.jspecify.annotations.NullMarked;
