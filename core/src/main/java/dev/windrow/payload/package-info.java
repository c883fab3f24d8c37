/** Payloads: inputs and results, codecs, and long contents that are stored separately from their rows. */
@NullMarked
package dev.windrow.payload;

import org.jspecify.annotations.NullMarked;
