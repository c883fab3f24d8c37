/** The contracts for durable steps of a handler, signals, and external completion. */
@NullMarked
package dev.windrow.testkit.contract.step;

import org.jspecify.annotations.NullMarked;
