/** Queries: filters, lists, searches and statistics. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.query;

import org.jspecify.annotations.NullMarked;
