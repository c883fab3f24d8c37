/** Workflows: jobs that wait for other jobs, chains and batches. The part of the store interface. */
@NullMarked
package dev.windrow.store.workflow;

import org.jspecify.annotations.NullMarked;
