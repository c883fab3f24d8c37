/** The rules that both stores share for copies, moves and backups of a queue. */
@NullMarked
package dev.windrow.store.sql.transfer;

import org.jspecify.annotations.NullMarked;
