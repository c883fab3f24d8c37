/** The commands of the store interface for jobs: enqueue, claim, settle, reclaim, change and deduplicate. */
@NullMarked
package dev.windrow.store.job;

import org.jspecify.annotations.NullMarked;
