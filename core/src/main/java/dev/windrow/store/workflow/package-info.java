/** The part of the store interface for workflows: jobs that wait for other jobs, chains and batches. */
@NullMarked
package dev.windrow.store.workflow;

import org.jspecify.annotations.NullMarked;
