/**
 * Payloads: inputs and results, codecs, and long payloads that are stored separately from their rows. The engine's
 * part.
 */
@NullMarked
package dev.windrow.engine.payload;

import org.jspecify.annotations.NullMarked;
