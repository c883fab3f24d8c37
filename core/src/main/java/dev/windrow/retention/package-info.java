/** Retention: how long ended jobs are kept, and their deletion. */
@NullMarked
package dev.windrow.retention;

import org.jspecify.annotations.NullMarked;
