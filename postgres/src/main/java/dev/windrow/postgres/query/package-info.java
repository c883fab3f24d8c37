/** Queries: filters, lists, searches and statistics. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.query;

import org.jspecify.annotations.NullMarked;
