/** The contracts for retention: how long ended jobs are kept, and their deletion. */
@NullMarked
package dev.windrow.contract.retention;

import org.jspecify.annotations.NullMarked;
