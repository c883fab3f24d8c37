/** The commit pipeline: commands of many callers in one transaction, and what is told after its commit. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.writer;

import org.jspecify.annotations.NullMarked;
