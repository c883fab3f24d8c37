package dev.windrow.engine;

import dev.windrow.InvalidRequestException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.store.CopyPlace;
import dev.windrow.store.CopyReader;
import dev.windrow.store.CopyRows;
import dev.windrow.store.CopySink;
import dev.windrow.store.CopySource;
import dev.windrow.store.CopyTable;
import dev.windrow.store.CopyableStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Copies a whole queue from one store to another, of whatever kinds: jobs with their ids, tokens, history and all that belongs to them, schedules,
 * dedupe keys, limits, counters. Who is at work is not copied: running jobs are taken back at the new place when their leases have run out.
 *
 * <p>The source is read in one state, and goes on meanwhile unless it is {@linkplain #closeSource closed}. The target is refused to everybody
 * until all of it is there and was compared with the source, row by row; a copy that was cut short is {@linkplain #resume resumed}, and what is
 * different by then is put right. Of one use, by one thread.
 */
public final class StoreCopy {
    /** Rows, and about as many characters, of a transaction. */
    private static final int ROWS = 5000;

    private static final int WEIGHT = 4 * 1024 * 1024;

    private final CopyableStore source;
    private @Nullable CopyableStore target;
    private boolean finishedOnly;
    private boolean resume;
    private boolean closeSource;
    private boolean force;
    private final TimeSource time = TimeSource.system();
    private Consumer<Progress> progress = step -> {};

    /**
     * How far a copy is; told after each transaction.
     *
     * @param table the table that is under way
     * @param rows how many of its rows were looked at
     * @param checking whether they are being compared; else they are being copied
     */
    public record Progress(String table, long rows, boolean checking) {}

    /**
     * A table that was copied.
     *
     * @param name its name, without the prefix of the stores
     * @param rows how many rows it has in both stores
     * @param comparedBefore how many of them belong to finished jobs that an earlier copy has compared, and were only counted now
     * @param checksum of the others, whatever their order: 16 hexadecimal digits, the same in both stores
     */
    public record TableReport(String name, long rows, long comparedBefore, String checksum) {}

    /**
     * What was copied. The target can be used, unless only finished jobs were asked for.
     *
     * @param tables each table, in the order in which it was copied
     * @param sourceChanged whether somebody has written to the source since its state was read: what that was is not in the target
     * @param took how long it took
     */
    public record Report(List<TableReport> tables, boolean sourceChanged, Duration took) {
        /** Defensive copy. */
        public Report {
            tables = List.copyOf(tables);
        }

        /** How many jobs. */
        public long jobs() {
            return rows(CopyTable.JOBS);
        }

        /** How many entries of their logs of events. */
        public long events() {
            return rows(CopyTable.EVENTS);
        }

        private long rows(CopyTable table) {
            return tables.stream()
                    .filter(report -> report.name.equals(table.table()))
                    .mapToLong(TableReport::rows)
                    .sum();
        }
    }

    private StoreCopy(CopyableStore source) {
        this.source = source;
    }

    /** Copies from this store, which was not started and stays its owner's to close. */
    public static StoreCopy from(CopyableStore source) {
        return new StoreCopy(source);
    }

    /** To this store, which was not started and stays its owner's to close. It is made if it is not there. */
    public StoreCopy to(CopyableStore target) {
        this.target = target;
        return this;
    }

    /**
     * Only jobs that are {@code COMPLETED}, and what belongs to them, which does not change any more: the larger part, as a rule, and copied while
     * everybody is at work. The rest is copied by {@link #resume}. Off by default.
     */
    public StoreCopy finishedOnly(boolean finishedOnly) {
        this.finishedOnly = finishedOnly;
        return this;
    }

    /** Goes on with a copy that was interrupted, or that was one of finished jobs. Off by default: the target has to be empty. */
    public StoreCopy resume(boolean resume) {
        this.resume = resume;
        return this;
    }

    /**
     * Closes the source before it is read: whatever writes to it fails from then on, in each process, and nobody can open it. Nothing that
     * was acknowledged is missing in the target then. {@link CopyPlace#reopen} takes it back. Off by default.
     */
    public StoreCopy closeSource(boolean closeSource) {
        this.closeSource = closeSource;
        return this;
    }

    /** Copies although workers are at work on the source: what they do meanwhile is not copied. Off by default. */
    public StoreCopy force(boolean force) {
        this.force = force;
        return this;
    }

    /** Told how far it is, on the thread of {@link #run}. */
    public StoreCopy progress(Consumer<Progress> progress) {
        this.progress = progress;
        return this;
    }

    /**
     * Copies, compares, and opens the target. Takes as long as it takes; an interrupt of the thread ends it, and it can be resumed.
     *
     * @throws InvalidRequestException if no target was named, or only finished jobs are to be copied and the source closed
     * @throws StoreUnavailableException if a store cannot be reached or written, or the thread was interrupted
     * @throws dev.windrow.IncompatibleStoreException if a store has a newer schema, or the source holds a copy that is not finished
     * @throws WindrowException if both are the same store, workers are at work, the source was closed for a
     *     move to another place and is to be closed again, the target is not empty, there is nothing to resume, or the
     *     stores differ in the end; the target stays closed then
     */
    public Report run() {
        CopyableStore to = target;
        if (to == null) {
            throw new InvalidRequestException("a copy needs a target");
        }
        if (finishedOnly && closeSource) {
            throw new InvalidRequestException(
                    "a copy of finished jobs only does not close its source: close it with the rest");
        }
        long begin = time.nanoTime();
        refuseTheSame(to);
        refuseWorkers(to);
        refuseASecondMove(to);
        // Whether it can be read at all: the target is not marked for a copy that cannot begin, and the source not
        // closed for one.
        source.place().copySource().close();
        try (CopySink sink = to.place().copySink(source.location(), resume);
                CopySource from = closeSource ? shutSource(to) : source.place().copySource()) {
            List<TableReport> reports = new ArrayList<>();
            Compared compared = sink.takeCompared() ? new Compared() : null;
            for (CopyTable table : CopyTable.values()) {
                if (!finishedOnly || table.part() != CopyTable.Part.AT_THE_END) {
                    reports.add(copy(from, sink, table, compared));
                }
            }
            boolean changed = from.hasChanged();
            if (finishedOnly) {
                sink.markCompared();
            } else {
                sink.open(from.nextNumber(), from.lastStamp());
            }
            return new Report(reports, changed, Duration.ofNanos(time.nanoTime() - begin));
        }
    }

    private CopySource shutSource(CopyableStore to) {
        source.place().shut(to.location());
        return source.place().copySource();
    }

    /** Of two places that both have the queue, and go on with it, each would run its jobs. */
    private void refuseASecondMove(CopyableStore to) {
        Optional<String> place = closeSource ? source.place().movedTo() : Optional.empty();
        if (place.isPresent() && !place.get().equals(to.location())) {
            throw new WindrowException(
                    "the queue of %s was moved to %s already, and is not moved to %s as well: nothing is copied; 'reopen' takes the move back, and a copy without closing the source is one to look at"
                            .formatted(source.location(), place.get(), to.location()));
        }
    }

    private void refuseTheSame(CopyableStore to) {
        Optional<String> identity = source.place().identity();
        if (identity.isEmpty()) {
            throw new StoreUnavailableException("there is no queue in " + source.location());
        }
        if (identity.equals(to.place().identity())) {
            throw new WindrowException(
                    "%s and %s are the same queue: nothing is copied".formatted(source.location(), to.location()));
        }
    }

    private void refuseWorkers(CopyableStore to) {
        List<String> there = to.place().aliveWorkers(time);
        if (!there.isEmpty()) {
            throw new WindrowException("workers are at work on the target %s (%s): stop them first"
                    .formatted(to.location(), String.join(", ", there)));
        }
        List<String> here = finishedOnly || force ? List.of() : source.place().aliveWorkers(time);
        if (!here.isEmpty()) {
            throw new WindrowException(
                    "workers are at work on %s (%s), and what they do would not be copied: stop them first; the entry of one that was killed runs out by itself"
                            .formatted(source.location(), String.join(", ", here)));
        }
    }

    /** Makes the table of the target what that of the source is, and compares them if anything had to be written. */
    private TableReport copy(CopySource from, CopySink sink, CopyTable table, @Nullable Compared compared) {
        Checksum read = new Checksum();
        boolean wrote = merge(from, sink, table, compared, read);
        if (wrote) {
            Checksum there = new Checksum();
            try (CopyRows rows = new TargetRows(sink, table, compared)) {
                @Nullable Object[] row;
                while ((row = rows.next()) != null) {
                    there.add(row);
                    if (there.rows() % ROWS == 0) {
                        step(table, there.rows(), true);
                    }
                }
            }
            if (!there.isSameAs(read)) {
                throw new WindrowException(
                        "the copy of table %s is not what was read: %s in %s, %s in %s. The target stays closed; 'resume' compares and copies again"
                                .formatted(table.table(), read, source.location(), there, sink));
            }
        }
        if (compared == null || !compared.knows(table)) {
            return new TableReport(table.table(), read.rows(), 0, read.text());
        }
        long rows;
        try (CopyReader target = sink.read()) {
            rows = target.count(table);
        }
        // Of finished jobs only, the source cannot say how many there are without reading them.
        long wanted = finishedOnly ? rows : from.count(table);
        if (rows != wanted) {
            throw new WindrowException(
                    "the copy of table %s is not what was read: %d rows in %s, %d rows in %s. The target stays closed; 'resume' compares and copies again"
                            .formatted(table.table(), wanted, source.location(), rows, sink));
        }
        return new TableReport(table.table(), rows, rows - read.rows(), read.text());
    }

    private static CopyRows rows(CopyReader reader, CopyTable table, @Nullable Compared compared, boolean finished) {
        return compared == null ? reader.rows(table, finished) : compared.of(reader, table, finished);
    }

    /** Both in the order of their keys, side by side: what is in one of them only, or different, is written. */
    private boolean merge(CopySource from, CopySink sink, CopyTable table, @Nullable Compared compared, Checksum read) {
        Changes changes = new Changes(sink, table, compared);
        try (ReadAhead rows = new ReadAhead(rows(from, table, compared, finishedOnly), sink, read)) {
            try (CopyRows old = new TargetRows(sink, table, compared)) {
                @Nullable Object[] here = rows.next();
                @Nullable Object[] there = old.next();
                while (here != null || there != null) {
                    int order;
                    if (here == null) {
                        order = 1;
                        changes.remove(Objects.requireNonNull(there));
                    } else if (there == null) {
                        order = -1;
                        changes.add(here);
                    } else {
                        order = table.compareKeys(here, there);
                        boolean same = order == 0 && Checksum.isSame(here, there);
                        if (order >= 0 && !same) {
                            changes.remove(there);
                        }
                        if (order <= 0 && !same) {
                            changes.add(here);
                        }
                    }
                    here = order <= 0 ? rows.next() : here;
                    there = order >= 0 ? old.next() : there;
                    changes.writeIfMany();
                }
            }
            changes.write();
            return changes.wrote;
        }
    }

    private void step(CopyTable table, long rows, boolean checking) {
        progress.accept(new Progress(table.table(), rows, checking));
        if (Thread.currentThread().isInterrupted()) {
            throw new StoreUnavailableException("the copy was interrupted; 'resume' goes on with it");
        }
    }

    /** The rows of the target as they are now. Their connection is closed behind the last one: then the target can tidy up behind what it writes. */
    private static final class TargetRows implements CopyRows {
        private final CopyReader reader;
        private final CopyRows rows;
        private boolean closed;

        TargetRows(CopySink sink, CopyTable table, @Nullable Compared compared) {
            this.reader = sink.read();
            try {
                this.rows = StoreCopy.rows(reader, table, compared, false);
            } catch (RuntimeException e) {
                reader.close();
                throw e;
            }
        }

        @Override
        public @Nullable Object @Nullable [] next() {
            @Nullable Object[] row = closed ? null : rows.next();
            if (row == null) {
                close();
            }
            return row;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                rows.close();
                reader.close();
            }
        }
    }

    /** What is to be written next. */
    private final class Changes {
        private final CopySink sink;
        private final CopyTable table;
        private final @Nullable Compared compared;
        private final List<@Nullable Object[]> removed = new ArrayList<>();
        private final List<@Nullable Object[]> added = new ArrayList<>();
        private long weight;
        private long looked;
        private boolean wrote;

        Changes(CopySink sink, CopyTable table, @Nullable Compared compared) {
            this.sink = sink;
            this.table = table;
            this.compared = compared;
        }

        void remove(@Nullable Object[] row) {
            removed.add(row);
            differs(row);
        }

        void add(@Nullable Object[] row) {
            added.add(row);
            weight += Checksum.weight(row);
            differs(row);
        }

        private void differs(@Nullable Object[] row) {
            if (compared != null) {
                compared.differs(table, row);
            }
        }

        void writeIfMany() {
            looked++;
            if (added.size() >= ROWS || removed.size() >= ROWS || weight >= WEIGHT) {
                write();
            } else if (looked % ROWS == 0) {
                step(table, looked, false);
            }
        }

        void write() {
            if (!added.isEmpty() || !removed.isEmpty()) {
                sink.write(table, removed, added);
                wrote = true;
                removed.clear();
                added.clear();
                weight = 0;
            }
            step(table, looked, false);
        }
    }
}
