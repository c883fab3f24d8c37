package dev.windrow.spring.autoconfigure;

import dev.windrow.Store;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The store of the jobs.
 *
 * @param store the store
 * @param source the data source of the same database, whose transactions jobs can join; null if there is none
 */
record ChosenStore(Store store, @Nullable DataSource source) {}
