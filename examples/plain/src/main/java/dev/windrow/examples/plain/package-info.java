/** A shop without a framework. */
@NullMarked
package dev.windrow.examples.plain;

import org.jspecify.annotations.NullMarked;
