/** Jobs: enqueue, claim, settle, reclaim, change and deduplicate them. The engine's part. */
@NullMarked
package dev.windrow.engine.job;

import org.jspecify.annotations.NullMarked;
