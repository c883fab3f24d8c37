/** Retention: how long ended jobs are kept, and their deletion. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.retention;

import org.jspecify.annotations.NullMarked;
