/** Transfer: copies, moves and backups of a queue. The commands. */
@NullMarked
package dev.windrow.cli.transfer;

import org.jspecify.annotations.NullMarked;
