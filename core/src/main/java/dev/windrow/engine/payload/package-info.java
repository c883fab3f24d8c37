/** Payloads: inputs and results: codecs, and long ones that are kept apart from their rows. The engine's part. */
@NullMarked
package dev.windrow.engine.payload;

import org.jspecify.annotations.NullMarked;
