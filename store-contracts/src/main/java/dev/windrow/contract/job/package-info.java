/** The contracts for jobs: enqueue, claim, settle, reclaim, change and deduplicate. */
@NullMarked
package dev.windrow.contract.job;

import org.jspecify.annotations.NullMarked;
