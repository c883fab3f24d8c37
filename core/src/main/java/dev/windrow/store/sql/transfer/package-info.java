/** Transfer: copies, moves and backups of a queue. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.transfer;

import org.jspecify.annotations.NullMarked;
