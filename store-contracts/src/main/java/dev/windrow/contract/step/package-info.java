/** The contracts for durable steps of a handler, signals, and external completion. */
@NullMarked
package dev.windrow.contract.step;

import org.jspecify.annotations.NullMarked;
