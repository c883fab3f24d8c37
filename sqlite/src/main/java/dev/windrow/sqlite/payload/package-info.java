/** Payloads: inputs and results, their codecs, and long ones that are stored separately from their rows. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.payload;

import org.jspecify.annotations.NullMarked;
