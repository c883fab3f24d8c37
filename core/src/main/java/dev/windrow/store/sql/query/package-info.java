/** The rules that both stores share for queries: filters, listings and histories. */
@NullMarked
package dev.windrow.store.sql.query;

import org.jspecify.annotations.NullMarked;
