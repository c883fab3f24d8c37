/** Queries: filters, lists, searches and statistics. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.query;

import org.jspecify.annotations.NullMarked;
