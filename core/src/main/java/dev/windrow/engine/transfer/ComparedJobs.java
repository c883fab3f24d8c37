package dev.windrow.engine.transfer;

import dev.windrow.store.transfer.CopyReader;
import dev.windrow.store.transfer.CopyRows;
import dev.windrow.store.transfer.CopyTable;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Skips the rows of completed jobs that an earlier copy has compared, if the job's row is equal in both stores. These
 * rows do not change, and reading them again would take as long as copying them. For one copy, used by one thread.
 */
final class ComparedJobs {
    /** The number of jobs or blobs whose rows one query reads. */
    private static final int PORTION = 1000;

    private final Ids jobs = new Ids();
    private final Ids blobs = new Ids();

    /** Records a row that is only in one store, or differs between both; called in the order of their keys. */
    void differs(CopyTable table, @Nullable Object[] row) {
        if (row[0] instanceof Long id) {
            if (table == CopyTable.JOBS) {
                jobs.add(id);
            } else if (table == CopyTable.BLOBS) {
                blobs.add(id);
            }
        }
    }

    /** Returns the owners whose rows of a table are compared; null for all. */
    private @Nullable Ids owners(CopyTable table) {
        return switch (table) {
            // These rows are small, and identify the jobs and blobs that differ.
            case JOBS, BLOBS -> null;
            case BLOB_CHUNKS -> blobs;
            default -> table.part() == CopyTable.Part.OF_JOBS ? jobs : null;
        };
    }

    /** True if not all rows of the table are compared. */
    boolean knows(CopyTable table) {
        return owners(table) != null;
    }

    CopyRows of(CopyReader reader, CopyTable table, boolean finished) {
        Ids owners = owners(table);
        return owners == null ? reader.rows(table, finished) : new Portions(owners, some -> reader.rows(table, some));
    }

    /** Ascending numbers. */
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

    /** The rows of the owners, one portion after another. */
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
