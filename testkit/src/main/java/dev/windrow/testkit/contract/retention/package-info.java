/** Retention: how long jobs are kept that have ended, and their deletion. The contracts. */
@NullMarked
package dev.windrow.testkit.contract.retention;

import org.jspecify.annotations.NullMarked;
