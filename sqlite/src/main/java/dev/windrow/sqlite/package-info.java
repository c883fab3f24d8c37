/** The SQLite store: one file, and one writer at a time that shares its commits between callers. */
@NullMarked
package dev.windrow.sqlite;

import org.jspecify.annotations.NullMarked;
