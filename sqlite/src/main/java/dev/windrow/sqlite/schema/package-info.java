/** The schema: its migrations, and the guard against writing a newer one. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.schema;

import org.jspecify.annotations.NullMarked;
