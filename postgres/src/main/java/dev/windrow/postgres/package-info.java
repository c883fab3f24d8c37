/** The PostgreSQL store: {@link dev.windrow.postgres.PostgresStore}. */
@NullMarked
package dev.windrow.postgres;

import org.jspecify.annotations.NullMarked;
