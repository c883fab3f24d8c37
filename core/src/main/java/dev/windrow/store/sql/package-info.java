/**
 * The parts that are the same in both stores: the use of statements, and the rules around them. Whole statements stand in each store, in its database's
 * SQL, and are handed in. For Windrow's own stores only.
 */
@NullMarked
package dev.windrow.store.sql;

import org.jspecify.annotations.NullMarked;
