/** The contracts for queries: filters, listings, searches and histories. */
@NullMarked
package dev.windrow.contract.query;

import org.jspecify.annotations.NullMarked;
