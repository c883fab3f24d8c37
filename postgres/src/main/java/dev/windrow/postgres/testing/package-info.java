/** Stores for the tests of applications. */
@NullMarked
package dev.windrow.postgres.testing;

import org.jspecify.annotations.NullMarked;
