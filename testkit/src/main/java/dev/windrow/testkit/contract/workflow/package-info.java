/** Workflows: jobs that wait for other jobs, chains and batches. The contracts. */
@NullMarked
package dev.windrow.testkit.contract.workflow;

import org.jspecify.annotations.NullMarked;
