/** Processes: the registry of workers, other processes, and background tasks that one of many processes does. The contracts. */
@NullMarked
package dev.windrow.testkit.contract.processes;

import org.jspecify.annotations.NullMarked;
