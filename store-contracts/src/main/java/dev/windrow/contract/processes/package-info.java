/** The contracts for processes: the registry of workers, and background tasks that one of many processes does. */
@NullMarked
package dev.windrow.contract.processes;

import org.jspecify.annotations.NullMarked;
