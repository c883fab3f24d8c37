package dev.windrow.store.transfer;

import org.jspecify.annotations.Nullable;

/** Rows of a table in the order of their keys, read as they are asked for. Not safe for use by more than one thread at a time. */
public interface CopyRows extends AutoCloseable {
    /** The next row, a value for each of the {@linkplain CopyTable#columns columns}; null behind the last one. */
    @Nullable Object @Nullable [] next();

    @Override
    void close();
}
