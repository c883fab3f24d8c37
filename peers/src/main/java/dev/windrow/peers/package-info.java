/**
 * Other Java job queues with the same work, in the same run. Each is set up as a user would do it, on one SQLite file
 * or one PostgreSQL server. Not published.
 */
@NullMarked
package dev.windrow.peers;

import org.jspecify.annotations.NullMarked;
