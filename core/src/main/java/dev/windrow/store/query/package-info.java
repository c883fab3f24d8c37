/** Queries: filters, lists, searches and statistics. The part of the store interface. */
@NullMarked
package dev.windrow.store.query;

import org.jspecify.annotations.NullMarked;
