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
 * Copies a whole queue from one store to another, of whatever kinds: jobs with their ids, tokens, history and all that belongs to them, schedules,
 * dedupe keys, limits, counters. Who is at work is not copied: running jobs are taken back at the new place when their leases have run out.
 *
 * <p>The source is read in one state, and goes on meanwhile unless it is {@linkplain #closeSource closed}. The target is refused to everybody
 * until all of it is there and was compared with the source, row by row; a copy that was cut short is {@linkplain #resume resumed}, and what is
 * different by then is put right. Of one use, by one thread.
 */
public interface QueueCopy {
    /**
     * The progress of a copy, reported after each transaction.
     *
     * @param table the table that is under way
     * @param rows how many of its rows were looked at
     * @param checking whether they are being compared; else they are being copied
     */
    record Progress(String table, long rows, boolean checking) {}

    /**
     * A table that was copied.
     *
     * @param name its name, without the prefix of the stores
     * @param rows how many rows it has in both stores
     * @param comparedBefore how many of them belong to finished jobs that an earlier copy has compared, and were only counted now
     * @param checksum of the others, whatever their order: 16 hexadecimal digits, the same in both stores
     */
    record TableReport(String name, long rows, long comparedBefore, String checksum) {}

    /**
     * The result of a copy. The target can be used, unless only finished jobs were asked for.
     *
     * @param tables each table, in the order in which it was copied
     * @param sourceChanged whether somebody has written to the source since its state was read: what that was is not in the target
     * @param took how long it took
     */
    record Report(List<TableReport> tables, boolean sourceChanged, Duration took) {
        /** Defensive copy. */
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

    /** Copies from this store, which was not started and stays its owner's to close. */
    static QueueCopy from(Store source) {
        return Engine.copy(source);
    }

    /**
     * Takes back a {@linkplain #closeSource closed source}: the store may be used again.
     *
     * @return false if it was not closed
     * @throws StoreUnavailableException if the store cannot be reached
     */
    static boolean reopen(Store source) {
        return Engine.reopen(source);
    }

    /** To this store, which was not started and stays its owner's to close. It is made if it is not there. */
    QueueCopy to(Store target);

    /**
     * Copies only jobs that are {@code COMPLETED}, and what belongs to them. These do not change any more, are usually most of the jobs, and are copied
     * while workers continue. {@link #resume} copies the rest.
     */
    QueueCopy finishedOnly();

    /** Continues a copy that was interrupted, or that was {@linkplain #finishedOnly of finished jobs}. Without this, the target has to be empty. */
    QueueCopy resume();

    /**
     * Closes the source before it is read: from then on no process can write to it or open it, so that the target has everything that was
     * acknowledged. {@link #reopen} takes this back.
     */
    QueueCopy closeSource();

    /** Copies although workers run on the source. The target does not have what they do meanwhile. */
    QueueCopy force();

    /** Told how far it is, on the thread of {@link #run}. */
    QueueCopy progress(Consumer<Progress> progress);

    /**
     * Copies, compares, and opens the target. Takes as long as it takes; an interrupt of the thread ends it, and it can be resumed.
     *
     * @throws InvalidRequestException if no target was named, or only finished jobs are to be copied and the source closed
     * @throws StoreUnavailableException if a store cannot be reached or written, or the thread was interrupted
     * @throws IncompatibleStoreException if a store has a newer schema, or the source holds a copy that is not finished
     * @throws WindrowException if both are the same store, workers are at work, the source was closed for a
     *     move to another place and is to be closed again, the target is not empty, there is nothing to resume, or the
     *     stores differ in the end; the target stays closed then
     */
    Report run();
}
