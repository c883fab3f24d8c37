/** Retention: how long jobs are kept that have ended, and their deletion. The engine's part. */
@NullMarked
package dev.windrow.engine.retention;

import org.jspecify.annotations.NullMarked;
