/** Transfer: copies, moves and backups of a queue. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.transfer;

import org.jspecify.annotations.NullMarked;
