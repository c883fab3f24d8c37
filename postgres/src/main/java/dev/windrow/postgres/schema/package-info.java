/** The schema: its migrations, and the guard against writing a newer one. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.schema;

import org.jspecify.annotations.NullMarked;
