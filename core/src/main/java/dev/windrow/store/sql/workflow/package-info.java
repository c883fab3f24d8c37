/** Workflows: jobs that wait for other jobs, chains and batches. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.workflow;

import org.jspecify.annotations.NullMarked;
