/** The rules that both stores share for jobs: enqueue, claim, settle, reclaim, change and deduplicate. */
@NullMarked
package dev.windrow.store.sql.job;

import org.jspecify.annotations.NullMarked;
