/** Payloads: inputs and results: codecs, and long ones that are kept apart from their rows. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.payload;

import org.jspecify.annotations.NullMarked;
