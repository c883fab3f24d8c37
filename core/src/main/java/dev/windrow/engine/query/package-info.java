/** Queries: filters, lists, searches and statistics. The engine's part. */
@NullMarked
package dev.windrow.engine.query;

import org.jspecify.annotations.NullMarked;
