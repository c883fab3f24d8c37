/** Stores for the tests of applications. */
@NullMarked
package dev.windrow.sqlite.testing;

import org.jspecify.annotations.NullMarked;
