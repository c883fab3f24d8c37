/** A real PostgreSQL server for tests, started from what Maven has downloaded. */
@NullMarked
package dev.windrow.testserver;

import org.jspecify.annotations.NullMarked;
