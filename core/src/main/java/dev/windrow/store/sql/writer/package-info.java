/** The commit pipeline: commands of many callers in one transaction, and what is told after its commit. The rules that both stores share. */
@NullMarked
package dev.windrow.store.sql.writer;

import org.jspecify.annotations.NullMarked;
