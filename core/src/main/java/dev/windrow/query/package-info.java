/** Queries: filters, lists, searches and statistics. */
@NullMarked
package dev.windrow.query;

import org.jspecify.annotations.NullMarked;
