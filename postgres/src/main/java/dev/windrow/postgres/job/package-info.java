/** Jobs: enqueue, claim, settle, reclaim, change and deduplicate them. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.job;

import org.jspecify.annotations.NullMarked;
