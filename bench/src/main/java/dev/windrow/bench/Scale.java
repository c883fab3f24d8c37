package dev.windrow.bench;

import dev.windrow.Windrow;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.query.JobQuery;
import dev.windrow.store.OpenStore;
import dev.windrow.store.job.ClaimedJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The cost of size: the verbs on a file with many jobs in every state, alternately with the same verbs on a file with
 * few. Then a worker with a small heap drains the ready jobs of the large file, while the size of the log is measured.
 */
final class Scale {
    private static final int FEW = 10_000;
    private static final int OTHERS = 300_000;
    /**
     * The number of jobs of one call of enqueue, claim or settle. A call for one job would be little more than its
     * commit.
     */
    private static final int CYCLE = 100;

    private static final int PAGE = 20;
    private static final int PAGES = 100;
    private static final int COUNTED = 200;
    private static final int WARM_UP = 60;
    /** The heap of the worker that drains. */
    private static final int HEAP_MEGABYTES = 32;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(30);
    private static final Set<String> QUEUES = Set.of(Work.QUEUE, Seeder.PAUSED_QUEUE);

    private final Ground ground;
    private final BenchSettings settings;

    Scale(Ground ground) {
        this.ground = ground;
        this.settings = ground.settings();
    }

    private enum Verb {
        ENQUEUE,
        CLAIM,
        SETTLE,
        STATISTICS,
        FIRST_PAGE,
        HUNDREDTH_PAGE,
        SHOW,
        SHOW_ANY
    }

    /** A seeded file, opened. Without a worker only the measurement claims. */
    private final class Subject implements AutoCloseable {
        private final Path file;
        private final FileDatabase database;
        private final Seeder.Rows rows;
        private final double rowsPerSecond;
        private final long bytes;
        private final IntToLongFunction finishedIds;
        private final Map<Verb, Samples> samples = new EnumMap<>(Verb.class);
        // Each run uses the same jobs.
        private final Random random = new Random(1);
        private @Nullable OpenedStore store;
        private @Nullable Windrow windrow;
        private @Nullable JobQuery hundredth;
        private List<ClaimedJob> claimed = List.of();

        Subject(Seeder.Rows rows) throws SQLException, IOException {
            this.rows = rows;
            file = ground.scratch().newFile();
            database = new FileDatabase(file, settings.durability());
            long start = System.nanoTime();
            finishedIds = Seeder.seed(file, rows, Work.json(settings.payload()));
            rowsPerSecond = rows.all() / ((System.nanoTime() - start) / 1e9);
            bytes = Files.size(file);
        }

        void open() {
            OpenedStore opened = new OpenedStore(database.store());
            Windrow jobs = Windrow.open(opened);
            store = opened;
            windrow = jobs;
            JobQuery first = jobs.jobs(JobFilter.ALL).newestFirst().limit(PAGE);
            JobQuery page = first;
            for (int i = 1; i < PAGES; i++) {
                Long next = page.page().next();
                page = next == null ? first : first.after(next);
            }
            hundredth = page;
        }

        void measure(Verb verb, boolean counts) {
            Windrow jobs = Objects.requireNonNull(windrow);
            OpenStore verbs = Objects.requireNonNull(store).verbs();
            long start = System.nanoTime();
            switch (verb) {
                case ENQUEUE -> Work.enqueue(jobs, CYCLE, settings.payload());
                case CLAIM -> claimed = ByHand.claim(verbs, QUEUES, CYCLE);
                case SETTLE -> ByHand.complete(verbs, claimed);
                case STATISTICS -> jobs.monitor().statistics();
                case FIRST_PAGE ->
                    full(jobs.jobs(JobFilter.ALL).newestFirst().limit(PAGE).page());
                case HUNDREDTH_PAGE -> full(Objects.requireNonNull(hundredth).page());
                case SHOW -> show(jobs, rows.finished() - 1 - random.nextInt(Math.min(FEW, rows.finished())));
                case SHOW_ANY -> show(jobs, random.nextInt(rows.finished()));
            }
            double millis = (System.nanoTime() - start) / 1e6;
            if (counts) {
                samples.computeIfAbsent(verb, each -> new Samples()).add(millis);
            }
        }

        private void show(Windrow jobs, int finished) {
            long id = finishedIds.applyAsLong(finished);
            if (jobs.job(id).history().events().size() != 4) {
                throw new BenchException("job %d does not have four events".formatted(id));
            }
        }

        private void full(JobPage page) {
            if (page.jobs().size() != PAGE) {
                throw new BenchException(
                        "a page has %d jobs instead of %d".formatted(page.jobs().size(), PAGE));
            }
        }

        @Nullable Double median(Verb verb) {
            return samples.getOrDefault(verb, new Samples()).median();
        }

        @Override
        public void close() {
            if (windrow != null) {
                windrow.close();
            }
        }
    }

    BenchReport.Scale run() throws SQLException, IOException {
        int finished = settings.rows();
        int waiting = Math.max(1, finished / 10);
        int others = Math.min(OTHERS, waiting);
        int lists = PAGE * PAGES;
        ground.progress().accept("%,d finished jobs and %,d each in three other states".formatted(finished, waiting));
        // Both files have the same lanes.
        Subject few = new Subject(new Seeder.Rows(FEW, 1, 1, lists, 2));
        Subject many = new Subject(new Seeder.Rows(Math.max(lists, finished), waiting, waiting, waiting, others));
        try (few;
                many) {
            few.open();
            many.open();
            ground.progress().accept("verbs by turns");
            for (int i = 0; i < WARM_UP + COUNTED; i++) {
                for (Verb verb : Verb.values()) {
                    few.measure(verb, i >= WARM_UP);
                    many.measure(verb, i >= WARM_UP);
                }
            }
        }
        ground.progress().accept("a worker with a heap of %d MB".formatted(HEAP_MEGABYTES));
        Drained drained = drain(many, waiting);
        ground.progress().accept("counting");
        int ran = CYCLE * (WARM_UP + COUNTED);
        Audit.states(
                few.database,
                new Audit.States(
                        few.rows.finished() + ran,
                        few.rows.scheduled(),
                        few.rows.blocked(),
                        few.rows.pending() + few.rows.others()));
        Audit.states(
                many.database,
                new Audit.States(many.rows.finished() + ran + waiting, waiting, waiting, many.rows.others()));
        few.database.remove();
        many.database.remove();
        return new BenchReport.Scale(
                /* finishedRows= */ many.rows.finished(),
                /* waitingRows= */ waiting,
                /* otherRows= */ many.rows.others(),
                /* seededPerSecond= */ many.rowsPerSecond,
                /* bytesPerJob= */ (double) many.bytes / many.rows.all(),
                /* enqueue= */ ratio(few, many, Verb.ENQUEUE),
                /* claim= */ ratio(few, many, Verb.CLAIM),
                /* settle= */ ratio(few, many, Verb.SETTLE),
                /* statistics= */ ratio(few, many, Verb.STATISTICS),
                /* firstPage= */ ratio(few, many, Verb.FIRST_PAGE),
                /* hundredthPage= */ ratio(few, many, Verb.HUNDREDTH_PAGE),
                /* show= */ ratio(few, many, Verb.SHOW),
                /* showAny= */ ratio(few, many, Verb.SHOW_ANY),
                /* heapMegabytes= */ HEAP_MEGABYTES,
                /* drainJobsPerSecond= */ drained.rate,
                /* logMegabytes= */ drained.log / 1e6);
    }

    private static @Nullable Double ratio(Subject few, Subject many, Verb verb) {
        Double fewMedian = few.median(verb);
        Double manyMedian = many.median(verb);
        return fewMedian == null || manyMedian == null ? null : manyMedian / fewMedian;
    }

    /**
     * The work of a worker.
     *
     * @param rate jobs a second
     * @param log the largest size of SQLite's log in bytes
     */
    private record Drained(double rate, long log) {}

    private Drained drain(Subject subject, int jobs) throws SQLException, IOException {
        Path log = subject.file.resolveSibling(subject.file.getFileName() + "-wal");
        long max = 0;
        String completed = subject.database.dialect().completed();
        try (Child child = Child.start(ground.scratch().folder(), "-Xmx" + HEAP_MEGABYTES + "m");
                Connection connection = subject.database.connect();
                Statement statement = connection.createStatement()) {
            long before = Audit.number(statement, completed);
            child.open(settings, subject.database);
            long start = System.nanoTime();
            child.start();
            while (Audit.number(statement, completed) < before + jobs) {
                if (System.nanoTime() - start > PATIENCE_NANOS) {
                    throw new BenchException("the jobs did not end within %d minutes"
                            .formatted(TimeUnit.NANOSECONDS.toMinutes(PATIENCE_NANOS)));
                }
                max = Math.max(max, Files.size(log));
                Work.waitUntil(System.nanoTime() + LOOK_NANOS);
            }
            double rate = jobs / ((System.nanoTime() - start) / 1e9);
            max = Math.max(max, Files.size(log));
            child.stop();
            return new Drained(rate, max);
        }
    }
}
