/** The SQLite store: one file, and one writer thread that shares its commits between callers. */
@NullMarked
package dev.windrow.sqlite;

import org.jspecify.annotations.NullMarked;
