package dev.windrow.engine.transfer;

import dev.windrow.InvalidRequestException;
import dev.windrow.Store;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.job.Report;
import dev.windrow.store.transfer.CopyReader;
import dev.windrow.store.transfer.CopyRows;
import dev.windrow.store.transfer.CopySink;
import dev.windrow.store.transfer.CopySource;
import dev.windrow.store.transfer.CopyTable;
import dev.windrow.transfer.QueueCopy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Copies a queue row by row. */
public final class StoreCopy implements QueueCopy {
    /** The most rows, and about the most characters, of a transaction. */
    private static final int ROWS = 5000;

    private static final int WEIGHT = 4 * 1024 * 1024;
    private final Store source;
    private @Nullable Store target;
    private boolean finishedOnly;
    private boolean resume;
    private boolean closeSource;
    private boolean force;
    private final TimeSource time = TimeSource.system();
    private Consumer<Progress> progress = step -> {};

    public StoreCopy(Store source) {
        this.source = source;
    }

    @Override
    public StoreCopy to(Store target) {
        this.target = target;
        return this;
    }

    @Override
    public StoreCopy finishedOnly() {
        this.finishedOnly = true;
        return this;
    }

    @Override
    public StoreCopy resume() {
        this.resume = true;
        return this;
    }

    @Override
    public StoreCopy closeSource() {
        this.closeSource = true;
        return this;
    }

    @Override
    public StoreCopy force() {
        this.force = true;
        return this;
    }

    @Override
    public StoreCopy progress(Consumer<Progress> progress) {
        this.progress = progress;
        return this;
    }

    @Override
    public Report run() {
        Store to = target;
        if (to == null) {
            throw new InvalidRequestException("a copy needs a target");
        }
        if (finishedOnly && closeSource) {
            throw new InvalidRequestException(
                    "a copy of finished jobs only does not close its source: close it with the copy of the rest");
        }
        long begin = time.nanoTime();
        refuseTheSame(to);
        refuseWorkers(to);
        refuseASecondMove(to);
        // This checks that the source can be read. A copy that cannot begin must not mark the target or close the
        // source.
        StoreProvider.copyPlace(source).copySource().close();
        try (CopySink sink = StoreProvider.copyPlace(to).copySink(source.location(), resume);
                CopySource from = closeSource
                        ? shutSource(to)
                        : StoreProvider.copyPlace(source).copySource()) {
            List<TableReport> reports = new ArrayList<>();
            ComparedJobs compared = sink.takeCompared() ? new ComparedJobs() : null;
            for (CopyTable table : CopyTable.values()) {
                if (!finishedOnly || table.part() != CopyTable.Part.AT_THE_END) {
                    reports.add(copy(from, sink, table, compared));
                }
            }
            long nextNumber = from.nextNumber();
            long lastStamp = finishedOnly ? 0 : from.lastStamp();
            // Last: it may end the snapshot.
            boolean changed = from.hasChanged();
            if (finishedOnly) {
                sink.markCompared();
            } else {
                sink.open(nextNumber, lastStamp);
            }
            return new Report(reports, changed, Duration.ofNanos(time.nanoTime() - begin));
        }
    }

    private CopySource shutSource(Store to) {
        StoreProvider.copyPlace(source).shut(to.location());
        return StoreProvider.copyPlace(source).copySource();
    }

    /**
     * Throws if the queue was moved to another place before. If both places continued with the queue, each would run
     * its jobs.
     */
    private void refuseASecondMove(Store to) {
        Optional<String> place = closeSource ? StoreProvider.copyPlace(source).movedTo() : Optional.empty();
        if (place.isPresent() && !place.get().equals(to.location())) {
            throw new WindrowException(
                    "the queue of %s was moved to %s already, and cannot be moved to %s as well: nothing is copied; 'reopen' reverses the first move, or copy without closing the source"
                            .formatted(source.location(), place.get(), to.location()));
        }
    }

    private void refuseTheSame(Store to) {
        Optional<String> identity = StoreProvider.copyPlace(source).identity();
        if (identity.isEmpty()) {
            throw new StoreUnavailableException("no queue exists in " + source.location());
        }
        if (identity.equals(StoreProvider.copyPlace(to).identity())) {
            throw new WindrowException(
                    "%s and %s are the same queue: nothing is copied".formatted(source.location(), to.location()));
        }
    }

    private void refuseWorkers(Store to) {
        List<String> there = StoreProvider.copyPlace(to).aliveWorkers(time);
        if (!there.isEmpty()) {
            throw new WindrowException("workers run on the target %s (%s): stop them first"
                    .formatted(to.location(), String.join(", ", there)));
        }
        List<String> here = finishedOnly || force
                ? List.of()
                : StoreProvider.copyPlace(source).aliveWorkers(time);
        if (!here.isEmpty()) {
            throw new WindrowException(
                    "workers run on %s (%s), and their changes would not be copied: stop them first; the entry of a killed worker expires by itself"
                            .formatted(source.location(), String.join(", ", here)));
        }
    }

    /** Makes the target's table equal to the source's table, and compares both if a row had to be written. */
    private TableReport copy(CopySource from, CopySink sink, CopyTable table, @Nullable ComparedJobs compared) {
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
                        "the copy of table %s differs from its source: %s in %s, %s in %s. The target stays closed; 'resume' compares and copies again"
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
        // For finished jobs only, the source cannot count the rows without reading them.
        long wanted = finishedOnly ? rows : from.count(table);
        if (rows != wanted) {
            throw new WindrowException(
                    "the copy of table %s differs from its source: %d rows in %s, %d rows in %s. The target stays closed; 'resume' compares and copies again"
                            .formatted(table.table(), wanted, source.location(), rows, sink));
        }
        return new TableReport(table.table(), rows, rows - read.rows(), read.text());
    }

    private static CopyRows rows(
            CopyReader reader, CopyTable table, @Nullable ComparedJobs compared, boolean finished) {
        return compared == null ? reader.rows(table, finished) : compared.of(reader, table, finished);
    }

    /**
     * Reads both tables in the order of their keys, side by side. Writes each row that is in only one of them, or
     * differs. Returns true if it wrote.
     */
    private boolean merge(
            CopySource from, CopySink sink, CopyTable table, @Nullable ComparedJobs compared, Checksum read) {
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
            throw new StoreUnavailableException("the copy was interrupted; 'resume' continues it");
        }
    }

    /**
     * The current rows of the target. Their connection is closed after the last row, so that the target can clean up
     * after its writes.
     */
    private static final class TargetRows implements CopyRows {
        private final CopyReader reader;
        private final CopyRows rows;
        private boolean closed;

        TargetRows(CopySink sink, CopyTable table, @Nullable ComparedJobs compared) {
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

    /** The next rows to write. */
    private final class Changes {
        private final CopySink sink;
        private final CopyTable table;
        private final @Nullable ComparedJobs compared;
        private final List<@Nullable Object[]> removed = new ArrayList<>();
        private final List<@Nullable Object[]> added = new ArrayList<>();
        private long weight;
        private long looked;
        private boolean wrote;

        Changes(CopySink sink, CopyTable table, @Nullable ComparedJobs compared) {
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
