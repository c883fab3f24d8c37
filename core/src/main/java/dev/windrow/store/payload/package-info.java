/** The commands of the store interface for long payloads and results that are stored separately from their rows. */
@NullMarked
package dev.windrow.store.payload;

import org.jspecify.annotations.NullMarked;
