/** The rules that both stores share for long payloads and results that are stored separately from their rows. */
@NullMarked
package dev.windrow.store.sql.payload;

import org.jspecify.annotations.NullMarked;
