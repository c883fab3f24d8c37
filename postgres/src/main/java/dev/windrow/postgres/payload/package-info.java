/** Payloads: inputs, results, codecs, and long payloads that are stored separately from their rows. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.payload;

import org.jspecify.annotations.NullMarked;
