/** Processes: the registry of workers, peer processes, and background tasks that one of many processes does. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.processes;

import org.jspecify.annotations.NullMarked;
