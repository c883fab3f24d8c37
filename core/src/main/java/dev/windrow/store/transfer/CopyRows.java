package dev.windrow.store.transfer;

import org.jspecify.annotations.Nullable;

/** The rows of a table in the order of their keys, read on demand. Not safe for use by more than one thread at a time. */
public interface CopyRows extends AutoCloseable {
    /** Returns the next row, a value for each of the {@linkplain CopyTable#columns columns}; null after the last one. */
    @Nullable Object @Nullable [] next();

    @Override
    void close();
}
