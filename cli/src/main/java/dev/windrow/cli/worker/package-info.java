/** Workers: slots, attempts, leases, and the end of an attempt. The commands. */
@NullMarked
package dev.windrow.cli.worker;

import org.jspecify.annotations.NullMarked;
