/** Jobs: enqueue, claim, settle, reclaim, change and deduplicate them. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.job;

import org.jspecify.annotations.NullMarked;
