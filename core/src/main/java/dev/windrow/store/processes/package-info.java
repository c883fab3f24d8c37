/** Processes: the registry of workers, other processes, and background tasks that one of many processes does. The part of the store interface. */
@NullMarked
package dev.windrow.store.processes;

import org.jspecify.annotations.NullMarked;
