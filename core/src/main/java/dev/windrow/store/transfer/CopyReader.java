package dev.windrow.store.transfer;

/** One state of the tables of a store, for as long as it is open. Not safe for use by more than one thread at a time. */
public interface CopyReader extends AutoCloseable {
    /**
     * The rows of a table.
     *
     * @param finished only those of jobs that are {@code COMPLETED}, of a table that belongs to jobs
     */
    CopyRows rows(CopyTable table, boolean finished);

    /**
     * The rows of a table that belong to some jobs, or of {@link CopyTable#BLOB_CHUNKS} to some blobs: those whose first column of the key is
     * among these numbers, which ascend.
     */
    CopyRows rows(CopyTable table, long[] owners);

    /** The number of rows of a table that {@link #rows(CopyTable, boolean)} has in all. */
    long count(CopyTable table);

    @Override
    void close();
}
