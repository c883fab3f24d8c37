/** Connections: statements, and what is read and written with them. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.connection;

import org.jspecify.annotations.NullMarked;
