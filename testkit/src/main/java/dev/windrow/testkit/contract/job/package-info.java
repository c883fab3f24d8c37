/** Jobs: enqueue, claim, settle, reclaim, change and deduplicate them. The contracts. */
@NullMarked
package dev.windrow.testkit.contract.job;

import org.jspecify.annotations.NullMarked;
