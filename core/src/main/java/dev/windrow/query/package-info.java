/** Queries: filters, listings and searches. */
@NullMarked
package dev.windrow.query;

import org.jspecify.annotations.NullMarked;
