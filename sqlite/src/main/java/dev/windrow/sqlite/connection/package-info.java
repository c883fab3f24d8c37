/** Connections: statements, and reads and writes through them. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.connection;

import org.jspecify.annotations.NullMarked;
