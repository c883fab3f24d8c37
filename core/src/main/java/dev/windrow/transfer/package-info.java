/** Transfer: copies, moves and backups of a queue. */
@NullMarked
package dev.windrow.transfer;

import org.jspecify.annotations.NullMarked;
