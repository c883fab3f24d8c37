/** Queries: filters, lists, searches and statistics. The contracts. */
@NullMarked
package dev.windrow.testkit.contract.query;

import org.jspecify.annotations.NullMarked;
