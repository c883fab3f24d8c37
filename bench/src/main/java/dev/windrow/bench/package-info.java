/** The measurements of {@code windrow bench}: the engine compared with a bare loop that writes the same rows. */
@NullMarked
package dev.windrow.bench;

import org.jspecify.annotations.NullMarked;
