/** The commit pipeline that both stores share: commands of many callers in one transaction, and the notices after its commit. */
@NullMarked
package dev.windrow.store.sql.writer;

import org.jspecify.annotations.NullMarked;
