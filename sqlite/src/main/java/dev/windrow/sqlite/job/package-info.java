/** Jobs: enqueue, claim, settle, reclaim, change and deduplicate them. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.job;

import org.jspecify.annotations.NullMarked;
