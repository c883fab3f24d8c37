/** The command line: one executable jar, one class per command. */
@NullMarked
package dev.windrow.cli;

import org.jspecify.annotations.NullMarked;
