/** Connections: statements, and what is read and written with them. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.connection;

import org.jspecify.annotations.NullMarked;
