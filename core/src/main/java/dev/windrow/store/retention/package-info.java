/** The commands of the store interface for retention: how long ended jobs are kept, and their deletion. */
@NullMarked
package dev.windrow.store.retention;

import org.jspecify.annotations.NullMarked;
