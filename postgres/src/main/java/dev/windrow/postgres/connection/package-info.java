/** Connections and their statements, for reads and writes. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.connection;

import org.jspecify.annotations.NullMarked;
