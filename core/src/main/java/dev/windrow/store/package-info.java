/**
 * The store interface: the state machine, the commands that a store writes, and its queries. Exported to the project's own modules only; applications
 * see {@link dev.windrow.Store}.
 */
@NullMarked
package dev.windrow.store;

import org.jspecify.annotations.NullMarked;
