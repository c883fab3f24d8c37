/** Payloads: inputs and results: codecs, and long ones that are kept apart from their rows. */
@NullMarked
package dev.windrow.payload;

import org.jspecify.annotations.NullMarked;
