/** The contracts for workflows: jobs that wait for other jobs, chains and batches. */
@NullMarked
package dev.windrow.contract.workflow;

import org.jspecify.annotations.NullMarked;
