/** The rules that both stores share for processes: the registry of workers, and background tasks that one of many processes does. */
@NullMarked
package dev.windrow.store.sql.processes;

import org.jspecify.annotations.NullMarked;
