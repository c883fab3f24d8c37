/** Workflows: jobs that wait for other jobs, chains and batches. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.workflow;

import org.jspecify.annotations.NullMarked;
