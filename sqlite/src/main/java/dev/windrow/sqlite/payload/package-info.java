/** Payloads: inputs and results: codecs, and long ones that are kept apart from their rows. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.payload;

import org.jspecify.annotations.NullMarked;
