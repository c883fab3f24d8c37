/** Steps: durable steps of a handler, signals, and jobs that are completed from outside. The contracts. */
@NullMarked
package dev.windrow.testkit.contract.step;

import org.jspecify.annotations.NullMarked;
