/** The command <code>bench</code>, whose measurements are built on demand. */
@NullMarked
package dev.windrow.cli.bench;

import org.jspecify.annotations.NullMarked;
