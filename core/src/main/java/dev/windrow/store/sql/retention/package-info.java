/** The rules that both stores share for retention: how long ended jobs are kept, and their deletion. */
@NullMarked
package dev.windrow.store.sql.retention;

import org.jspecify.annotations.NullMarked;
