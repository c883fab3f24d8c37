/** The commit pipeline: commands of many callers in one transaction, and the notifications after its commit. The SQLite store's part. */
@NullMarked
package dev.windrow.sqlite.writer;

import org.jspecify.annotations.NullMarked;
