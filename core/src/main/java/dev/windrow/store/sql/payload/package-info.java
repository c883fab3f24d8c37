/** Payloads: inputs and results: codecs, and long ones that are kept apart from their rows. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.payload;

import org.jspecify.annotations.NullMarked;
