/** Opens the store that the options name. */
@NullMarked
package dev.windrow.cli.database;

import org.jspecify.annotations.NullMarked;
