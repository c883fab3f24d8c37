/** Payloads: inputs and results: codecs, and long ones that are kept apart from their rows. The contracts. */
@NullMarked
package dev.windrow.testkit.contract.payload;

import org.jspecify.annotations.NullMarked;
