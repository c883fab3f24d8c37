/** Retention: how long ended jobs are kept, and their deletion. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.retention;

import org.jspecify.annotations.NullMarked;
