/** The terminal: text, tables, colours and input. */
@NullMarked
package dev.windrow.cli.terminal;

import org.jspecify.annotations.NullMarked;
