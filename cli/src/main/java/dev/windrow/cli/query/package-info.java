/** Queries: filters, lists, searches and statistics. The commands. */
@NullMarked
package dev.windrow.cli.query;

import org.jspecify.annotations.NullMarked;
