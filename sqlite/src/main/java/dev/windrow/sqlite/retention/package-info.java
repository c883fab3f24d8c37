/** Retention: how long jobs are kept that have ended, and their deletion. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.retention;

import org.jspecify.annotations.NullMarked;
