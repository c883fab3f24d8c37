package dev.windrow.store.transfer;

/** One snapshot of the tables of a store, as long as it is open. Not safe for use by more than one thread at a time. */
public interface CopyReader extends AutoCloseable {
    /**
     * Returns the rows of a table.
     *
     * @param finished true for only the rows of {@code COMPLETED} jobs, of a table that belongs to jobs
     */
    CopyRows rows(CopyTable table, boolean finished);

    /**
     * Returns the rows of a table that belong to some jobs; for {@link CopyTable#BLOB_CHUNKS} to some blobs. The first column of the key of each row
     * is among these numbers, which ascend.
     */
    CopyRows rows(CopyTable table, long[] owners);

    /** Returns the number of all rows of a table that {@link #rows(CopyTable, boolean)} has. */
    long count(CopyTable table);

    @Override
    void close();
}
