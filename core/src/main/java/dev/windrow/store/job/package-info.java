/** Jobs: enqueue, claim, settle, reclaim, change and deduplicate them. The part of the store interface. */
@NullMarked
package dev.windrow.store.job;

import org.jspecify.annotations.NullMarked;
