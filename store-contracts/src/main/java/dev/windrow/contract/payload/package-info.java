/** The contracts for long payloads and results that are stored separately from their rows. */
@NullMarked
package dev.windrow.contract.payload;

import org.jspecify.annotations.NullMarked;
