/** Retention: how long jobs are kept that have ended, and their deletion. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.retention;

import org.jspecify.annotations.NullMarked;
