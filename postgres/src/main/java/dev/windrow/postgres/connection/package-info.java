/** Connections: statements, and what is read and written with them. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.connection;

import org.jspecify.annotations.NullMarked;
