/** Jobs: enqueue, claim, settle, reclaim, change and deduplicate them. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.job;

import org.jspecify.annotations.NullMarked;
