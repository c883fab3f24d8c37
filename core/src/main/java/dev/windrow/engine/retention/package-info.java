/** Retention: how long ended jobs are kept, and their deletion. The engine's part. */
@NullMarked
package dev.windrow.engine.retention;

import org.jspecify.annotations.NullMarked;
