/** The rules that both stores share for workflows: jobs that wait for other jobs, chains and batches. */
@NullMarked
package dev.windrow.store.sql.workflow;

import org.jspecify.annotations.NullMarked;
