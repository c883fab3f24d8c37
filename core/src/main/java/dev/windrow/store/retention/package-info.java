/** Retention: how long jobs are kept that have ended, and their deletion. The part of the store interface. */
@NullMarked
package dev.windrow.store.retention;

import org.jspecify.annotations.NullMarked;
