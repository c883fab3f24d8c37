/** Transfer: copies, moves and backups of a queue. The engine's part. */
@NullMarked
package dev.windrow.engine.transfer;

import org.jspecify.annotations.NullMarked;
