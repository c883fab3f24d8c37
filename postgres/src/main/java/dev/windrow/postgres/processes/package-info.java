/** Processes: the registry of workers, peer processes, and background tasks that one of many processes does. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.processes;

import org.jspecify.annotations.NullMarked;
