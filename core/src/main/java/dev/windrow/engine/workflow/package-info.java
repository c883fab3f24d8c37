/** Workflows: jobs that wait for other jobs, chains and batches. The engine's part. */
@NullMarked
package dev.windrow.engine.workflow;

import org.jspecify.annotations.NullMarked;
