package dev.windrow.transfer;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.InvalidRequestException;
import dev.windrow.Store;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.engine.Engine;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Copies a whole queue from one store to another, of any kinds. It copies jobs with their ids, tokens, history and all other data, schedules, dedupe
 * keys, limits and counters. It does not copy the workers: running jobs are reclaimed in the target when their leases have expired.
 *
 * <p>The source is read in one snapshot. It stays in use during the copy, unless it is {@linkplain #closeSource closed}. No process can use the
 * target until all rows are copied and compared with the source. A copy that was interrupted can be {@linkplain #resume resumed}. It then corrects
 * rows that have changed. A copy is for one use, by one thread.
 */
public interface QueueCopy {
    /**
     * The progress of a copy, reported after each transaction.
     *
     * @param table the table that is being copied or compared
     * @param rows the number of its rows that were read
     * @param checking true if they are being compared; false if they are being copied
     */
    record Progress(String table, long rows, boolean checking) {}

    /**
     * The report on a copied table.
     *
     * @param name the name of the table, without the prefix of the stores
     * @param rows the number of its rows in both stores
     * @param comparedBefore the number of rows of finished jobs that an earlier copy has compared, and that were only counted now
     * @param checksum the checksum of the other rows in any order: 16 hexadecimal digits, the same in both stores
     */
    record TableReport(String name, long rows, long comparedBefore, String checksum) {}

    /**
     * The result of a copy. The target can be used, unless the copy was of finished jobs only.
     *
     * @param tables the tables, in the order in which they were copied
     * @param sourceChanged true if the source was written after the snapshot. The target does not have these changes
     * @param took the duration of the copy
     */
    record Report(List<TableReport> tables, boolean sourceChanged, Duration took) {
        /** Copies the list. */
        public Report {
            tables = List.copyOf(tables);
        }

        /** Returns the number of jobs. */
        public long jobs() {
            return rows("jobs");
        }

        /** Returns the number of events of jobs. */
        public long events() {
            return rows("events");
        }

        private long rows(String table) {
            return tables.stream()
                    .filter(report -> report.name.equals(table))
                    .mapToLong(TableReport::rows)
                    .sum();
        }
    }

    /** Returns a copy from this store. The copy opens the store, and closes what it has opened. */
    static QueueCopy from(Store source) {
        return Engine.copy(source);
    }

    /**
     * Reopens a {@linkplain #closeSource closed source}: processes may use the store again.
     *
     * @return false if it was not closed
     * @throws StoreUnavailableException if the store cannot be reached
     */
    static boolean reopen(Store source) {
        return Engine.reopen(source);
    }

    /** Sets the target. The copy creates the store if it does not exist, and closes what it has opened. */
    QueueCopy to(Store target);

    /**
     * Copies only jobs that are {@code COMPLETED}, with their data. These do not change any more and are usually most of the jobs. They are copied
     * while workers continue. {@link #resume} copies the rest.
     */
    QueueCopy finishedOnly();

    /** Continues a copy that was interrupted, or a copy {@linkplain #finishedOnly of finished jobs}. Without this call the target must be empty. */
    QueueCopy resume();

    /**
     * Closes the source before it is read. From then on no process can write to it or open it. So the target has everything that was acknowledged.
     * {@link #reopen} reverses it.
     */
    QueueCopy closeSource();

    /** Copies even if workers run on the source. The target does not have the changes that they make during the copy. */
    QueueCopy force();

    /** Sets a callback for the progress, called on the thread of {@link #run}. */
    QueueCopy progress(Consumer<Progress> progress);

    /**
     * Copies, compares, and opens the target. It has no time limit. An interrupt of the thread ends it, and it can be resumed.
     *
     * @throws InvalidRequestException if no target was set, or the copy is of finished jobs only and would close the source
     * @throws StoreUnavailableException if a store cannot be reached or written, or the thread was interrupted
     * @throws IncompatibleStoreException if a store has a newer schema, or the source is the target of an unfinished copy
     * @throws WindrowException if both are the same store, workers are running, or the source was closed for a move to another target and would be
     *     closed again. Also if the target is not empty, there is nothing to resume, or the stores differ after the copy. The target stays closed
     */
    Report run();
}
