/** Workflows: jobs that wait for other jobs, chains and batches. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.workflow;

import org.jspecify.annotations.NullMarked;
