/** Retention: how long jobs are kept that have ended, and their deletion. */
@NullMarked
package dev.windrow.retention;

import org.jspecify.annotations.NullMarked;
