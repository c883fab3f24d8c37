/** Transfer: copies, moves and backups of a queue. The part of the store interface. */
@NullMarked
package dev.windrow.store.transfer;

import org.jspecify.annotations.NullMarked;
