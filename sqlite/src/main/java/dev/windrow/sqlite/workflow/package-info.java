/** Workflows: jobs that wait for other jobs, chains and batches. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.workflow;

import org.jspecify.annotations.NullMarked;
