/** Retention: how long jobs are kept that have ended, and their deletion. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.retention;

import org.jspecify.annotations.NullMarked;
