/** Queries: filters, lists, searches and statistics. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.query;

import org.jspecify.annotations.NullMarked;
