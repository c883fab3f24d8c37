/** Processes: the registry of workers, other processes, and background tasks that one of many processes does. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.processes;

import org.jspecify.annotations.NullMarked;
