/** Payloads: inputs and results: codecs, and long ones that are kept apart from their rows. The part of the store interface. */
@NullMarked
package dev.windrow.store.payload;

import org.jspecify.annotations.NullMarked;
