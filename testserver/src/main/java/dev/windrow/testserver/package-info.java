/** A real PostgreSQL server for tests, started from the programs that Maven has downloaded. */
@NullMarked
package dev.windrow.testserver;

import org.jspecify.annotations.NullMarked;
