/** Transfer: copies, moves and backups of a queue. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.transfer;

import org.jspecify.annotations.NullMarked;
