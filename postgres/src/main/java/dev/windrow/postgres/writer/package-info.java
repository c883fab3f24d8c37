/** The commit pipeline: commands of many callers in one transaction, and what is told after its commit. The PostgreSQL store's part. */
@NullMarked
package dev.windrow.postgres.writer;

import org.jspecify.annotations.NullMarked;
