/** Transfer: copies, moves and backups of a queue. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.transfer;

import org.jspecify.annotations.NullMarked;
