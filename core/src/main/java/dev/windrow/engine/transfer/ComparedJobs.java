package dev.windrow.engine.transfer;

import dev.windrow.store.transfer.CopyReader;
import dev.windrow.store.transfer.CopyRows;
import dev.windrow.store.transfer.CopyTable;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What an earlier copy has compared and is still the same: completed jobs whose rows are alike in both stores. What belongs to them does not
 * change, and is not read again, which would take as long as to copy it. Of one use, by one thread.
 */
final class ComparedJobs {
    /** Jobs, or blobs, whose rows are asked for together. */
    private static final int PORTION = 1000;

    private final Ids jobs = new Ids();
    private final Ids blobs = new Ids();

    /** A row is only in one store, or not the same in both; in the order of their keys. */
    void differs(CopyTable table, @Nullable Object[] row) {
        if (row[0] instanceof Long id) {
            if (table == CopyTable.JOBS) {
                jobs.add(id);
            } else if (table == CopyTable.BLOBS) {
                blobs.add(id);
            }
        }
    }

    /** Of which owners the rows of a table are to be compared; null if of all. */
    private @Nullable Ids owners(CopyTable table) {
        return switch (table) {
            // Small rows, which say of which jobs and blobs that is.
            case JOBS, BLOBS -> null;
            case BLOB_CHUNKS -> blobs;
            default -> table.part() == CopyTable.Part.OF_JOBS ? jobs : null;
        };
    }

    /** Whether not all rows of the table are to be compared. */
    boolean knows(CopyTable table) {
        return owners(table) != null;
    }

    CopyRows of(CopyReader reader, CopyTable table, boolean finished) {
        Ids owners = owners(table);
        return owners == null ? reader.rows(table, finished) : new Portions(owners, some -> reader.rows(table, some));
    }

    /** Numbers that ascend. */
    private static final class Ids {
        private long[] ids = new long[PORTION];
        private int size;

        void add(long id) {
            if (size > 0 && ids[size - 1] == id) {
                return;
            }
            if (size == ids.length) {
                ids = Arrays.copyOf(ids, 2 * size);
            }
            ids[size++] = id;
        }

        long[] portion(int from) {
            return Arrays.copyOfRange(ids, from, Math.min(size, from + PORTION));
        }
    }

    /** The rows of a portion of the owners after the other. */
    private static final class Portions implements CopyRows {
        private final Ids owners;
        private final Function<long[], CopyRows> read;
        private @Nullable CopyRows rows;
        private int begun;
        private boolean closed;

        Portions(Ids owners, Function<long[], CopyRows> read) {
            this.owners = owners;
            this.read = read;
        }

        @Override
        public @Nullable Object @Nullable [] next() {
            while (!closed) {
                CopyRows now = rows;
                if (now == null) {
                    if (begun >= owners.size) {
                        return null;
                    }
                    now = read.apply(owners.portion(begun));
                    rows = now;
                    begun += PORTION;
                }
                @Nullable Object[] row = now.next();
                if (row != null) {
                    return row;
                }
                now.close();
                rows = null;
            }
            return null;
        }

        @Override
        public void close() {
            closed = true;
            if (rows != null) {
                rows.close();
                rows = null;
            }
        }
    }
}
