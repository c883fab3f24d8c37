/** Workflows: jobs that wait for other jobs, chains and batches. The commands. */
@NullMarked
package dev.windrow.cli.workflow;

import org.jspecify.annotations.NullMarked;
