/** The commit pipeline: commands of many callers in one transaction, and the notifications after its commit. The part of the PostgreSQL store. */
@NullMarked
package dev.windrow.postgres.writer;

import org.jspecify.annotations.NullMarked;
