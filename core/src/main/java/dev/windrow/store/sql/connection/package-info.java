/** The rules that both stores share for connections: statements, rows and reads. */
@NullMarked
package dev.windrow.store.sql.connection;

import org.jspecify.annotations.NullMarked;
