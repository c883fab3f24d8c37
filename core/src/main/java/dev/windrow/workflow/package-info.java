/** Workflows: jobs that wait for other jobs, and batches. */
@NullMarked
package dev.windrow.workflow;

import org.jspecify.annotations.NullMarked;
