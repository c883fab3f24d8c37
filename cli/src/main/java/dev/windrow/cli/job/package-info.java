/** Jobs: enqueue, claim, settle, reclaim, change and deduplicate them. The commands. */
@NullMarked
package dev.windrow.cli.job;

import org.jspecify.annotations.NullMarked;
