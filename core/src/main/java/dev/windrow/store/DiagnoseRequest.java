package dev.windrow.store;

import dev.windrow.TimeSource;
import java.util.function.Consumer;

/**
 * How a store is to be examined.
 *
 * @param time by which leases are judged
 * @param quick leave out what makes the check of the database's own structure slow: comparing each index with its table
 * @param begins told the name of each check when it begins, on a thread of the store
 */
public record DiagnoseRequest(TimeSource time, boolean quick, Consumer<String> begins) {}
