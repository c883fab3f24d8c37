/** The schema: its migrations, and the guard against writing a newer one. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.schema;

import org.jspecify.annotations.NullMarked;
