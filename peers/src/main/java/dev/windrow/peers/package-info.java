/** Other Java job queues on the same work, in the same run: what a user would get on one SQLite file or one PostgreSQL server. Not published. */
@NullMarked
package dev.windrow.peers;

import org.jspecify.annotations.NullMarked;
