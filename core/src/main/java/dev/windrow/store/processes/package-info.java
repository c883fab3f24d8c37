/** The part of the store interface for processes: the registry of workers, and background tasks that one of many processes does. */
@NullMarked
package dev.windrow.store.processes;

import org.jspecify.annotations.NullMarked;
