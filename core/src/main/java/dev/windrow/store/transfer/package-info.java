/** The part of the store interface for copies, moves and backups of a queue. */
@NullMarked
package dev.windrow.store.transfer;

import org.jspecify.annotations.NullMarked;
