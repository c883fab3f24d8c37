package dev.windrow.engine.retention;

import dev.windrow.JobHistory;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.engine.Answers;
import dev.windrow.engine.worker.Reclaimer;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.JobArchive;
import dev.windrow.retention.RetentionResult;
import dev.windrow.retention.RetentionRules;
import dev.windrow.store.Author;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.Weight;
import dev.windrow.store.payload.SweepStaged;
import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.retention.Prune;
import dev.windrow.store.retention.Recount;
import dev.windrow.store.retention.Shrink;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * One pass of retention, step by step. It searches for jobs whose retention is over, and deletes them in transactions
 * that are too short to delay other processes. The caller may end it after any step; a later pass finds the remaining
 * jobs. Used by one thread.
 */
final class RetentionPass {
    private static final Logger log = SafeLogger.of(RetentionPass.class);

    /** The time limit of a batch, as a multiple of its target time. After that the batch begins no further deletion. */
    private static final int BUDGET = 2;
    /**
     * The pause after each batch, as a multiple of the batch's duration. Other processes can write during the pause.
     */
    private static final int PAUSE_FACTOR = 2;
    /** The shortest pause, in which another process gets the same lock. */
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(5);

    private static final int FIRST_BATCH = 50;
    /**
     * The smallest batch in jobs. The lower bound is the greater of this and {@link #SMALLEST_PER_MILLISECOND} jobs for
     * each millisecond of the target time.
     */
    private static final int SMALLEST_BATCH = 8;

    private static final int SMALLEST_PER_MILLISECOND = 4;
    private static final int LARGEST_BATCH = 1000;
    /** The most rounds of one pass. Each round may free the parents of the jobs that the round before has deleted. */
    private static final int MAX_ROUNDS = 100;
    /** The most rows of each kind, other than jobs, that one transaction deletes. */
    private static final int PRUNED = 500;

    /** The weight of the jobs that an archive gets in one call, exceeded by one job at most: some megabytes. */
    private static final int ARCHIVED_AT_ONCE = 4096;

    /** The result of the last step. */
    static final long DONE = -1;

    private final OpenStore store;
    private final Cleanup cleanup;
    private final boolean preview;
    private final Author author;
    private final LongFunction<Optional<JobHistory>> histories;
    private final Consumer<List<String>> files;

    /** The jobs that were found. A chain that is longer than {@link Expiry#PART} is one unit for each part. */
    private final Deque<Expiry.Unit> units = new ArrayDeque<>();
    /** The units that the archive has already, because their batch ended before it could delete them. */
    private final Set<Expiry.Unit> archived = new HashSet<>();

    private final Map<JobState, Long> deleted = new EnumMap<>(JobState.class);
    /** The chains that a preview has counted, because the search finds a chain by each of its jobs. */
    private final Set<Long> counted = new HashSet<>();

    /**
     * The store's clock at the beginning of the pass. Ages are measured against it, regardless of how long the pass
     * takes or how the clock changes.
     */
    private final long asOfMillis;

    /** The store's rules at the last read. */
    private RetentionRules storeRules;
    /** The rules of the pass: the store's rules and the ages that the caller requested. */
    private RetentionRules rules;

    private Expiry.@Nullable Place place;
    private boolean searched;
    private int batch = FIRST_BATCH;
    private int rounds = 1;
    private long kept;
    private long deletedInRound;
    private @Nullable Long audit;
    /** The chain whose part was deleted last. A chain is deleted completely. */
    private @Nullable Long begun;

    /**
     * True if parts of long payloads and results of deleted jobs may be left. They come from this pass, or at its
     * beginning from a killed pass.
     */
    private boolean parts;

    /** True if the store asked for a pause. */
    private boolean waits;

    private boolean complete;
    private boolean pruned;
    private boolean recounted;

    /**
     * Creates a pass without starting it.
     *
     * @param rules the rules of the store
     * @param preview true to count only
     * @param histories reads a job for the archive
     * @param files deletes files of blobs whose jobs are deleted
     */
    RetentionPass(
            OpenStore store,
            RetentionRules rules,
            Cleanup cleanup,
            boolean preview,
            Author author,
            LongFunction<Optional<JobHistory>> histories,
            Consumer<List<String>> files) {
        this.store = store;
        this.storeRules = rules;
        this.rules = withAges(rules, cleanup);
        this.cleanup = cleanup;
        this.preview = preview;
        this.author = author;
        this.histories = histories;
        this.files = files;
        this.asOfMillis = store.task(BackgroundTask.RETENTION).nowMillis();
        this.place = beginning();
        this.parts = !preview;
    }

    private Expiry.Place beginning() {
        return new Expiry.Place(asOfMillis, JobState.FAILED, 0, Long.MIN_VALUE);
    }

    /** Returns the result so far. */
    RetentionResult sofar() {
        return new RetentionResult(deleted, kept, complete);
    }

    private long total() {
        return deleted.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Does the next step; returns for how many nanoseconds to pause, or {@link #DONE}. */
    long step() {
        if (parts) {
            return sweep();
        }
        if (units.isEmpty()) {
            if (searched && place == null && !again()) {
                return finish();
            }
            search();
            return 0;
        }
        Long max = cleanup.maxJobs();
        if (max != null
                && total() >= max
                && !Objects.equals(begun, units.getFirst().root())) {
            complete = true;
            return DONE;
        }
        return delete(max == null ? Long.MAX_VALUE : max - total());
    }

    /** Begins another round if the last one may have freed jobs. A preview deletes nothing, so it frees nothing. */
    private boolean again() {
        if (kept == 0 || deletedInRound == 0 || rounds == MAX_ROUNDS) {
            return false;
        }
        rounds++;
        kept = 0;
        deletedInRound = 0;
        searched = false;
        place = beginning();
        return true;
    }

    /**
     * Deletes some parts of long payloads and results whose jobs are deleted. A blob that waits for its job is never
     * that old.
     */
    private long sweep() {
        long swept = Answers.get(store, new SweepStaged(Long.MAX_VALUE, Reclaimer.SWEPT));
        parts = swept == Reclaimer.SWEPT;
        return swept == 0 ? 0 : PAUSE_FACTOR * SHORTEST_PAUSE.toNanos();
    }

    private void search() {
        Expiry.Found found = store.expiring(new Expiry.Search(rules, cleanup.type(), place));
        searched = true;
        place = found.next();
        kept += found.kept();
        if (preview) {
            found.units().stream()
                    .filter(unit -> unit.jobs().size() == 1 || counted.add(unit.root()))
                    .forEach(unit -> count(unit.jobs()));
        } else {
            found.units().forEach(unit -> units.addAll(unit.parts(Expiry.PART)));
        }
    }

    private void count(List<Expiry.Job> jobs) {
        jobs.forEach(job -> deleted.merge(job.state(), 1L, Long::sum));
    }

    private long delete(long max) {
        List<Expiry.Unit> taken = take((int) Math.min(batch, max));
        JobArchive archive = cleanup.archive();
        if (archive != null) {
            archive(archive, taken);
        }
        Expiry.Done done = Answers.get(
                store,
                new Expire(
                        taken,
                        new Expire.Pass(author, rules.text(), asOfMillis, storeRules),
                        audit,
                        Map.copyOf(deleted),
                        BUDGET * store.expiryTime().toNanos()));
        // The transaction is committed: the database does not refer to these files any more.
        Expiry.Deleted gone = done.deleted();
        files.accept(gone.files());
        parts = gone.parts();
        audit = gone.audit();
        kept += done.kept();
        List<Expiry.Unit> tried = taken.subList(0, taken.size() - done.left().size());
        if (done.kept() > 0) {
            dropRests(tried);
        }
        for (int i = done.left().size() - 1; i >= 0; i--) {
            units.addFirst(done.left().get(i));
        }
        if (archive != null) {
            tried.forEach(archived::remove);
            archived.addAll(done.left());
        }
        if (!tried.isEmpty()) {
            begun = tried.get(tried.size() - 1).root();
        }
        int jobs = tried.stream().mapToInt(unit -> unit.jobs().size()).sum();
        gone.jobs().forEach((state, count) -> {
            deleted.merge(state, count, Long::sum);
            deletedInRound += count;
        });
        if (tried.isEmpty()) {
            readRules();
        }
        adapt(jobs, done.nanos());
        if (done.pauseNanos() > 0 && !waits) {
            log.info(
                    "Retention waits: long reads of other connections keep the write-ahead log from being written back");
        }
        waits = done.pauseNanos() > 0;
        return Math.max(done.pauseNanos(), Math.max(SHORTEST_PAUSE.toNanos(), PAUSE_FACTOR * done.nanos()));
    }

    /**
     * Returns the rules with the ages of the call. Each age replaces all rules for its state, including the rules for
     * single types.
     */
    private static RetentionRules withAges(RetentionRules rules, Cleanup cleanup) {
        List<RetentionRules.Rule> all = new ArrayList<>(cleanup.ages().values());
        rules.rules().stream()
                .filter(rule -> !cleanup.ages().containsKey(rule.state()))
                .forEach(all::add);
        return new RetentionRules(all);
    }

    /**
     * Reads the store's rules again. If they have changed, the found jobs are dropped and searched for again by the new
     * rules. The rest of a chain that was begun is still deleted, because it is of no use without its beginning.
     */
    private void readRules() {
        RetentionRules present = store.retention();
        if (!present.equals(storeRules)) {
            log.info(
                    "The rules of retention have changed: the search for expired jobs begins again, by {}",
                    present.text());
            storeRules = present;
            rules = withAges(present, cleanup);
            units.removeIf(unit -> !Objects.equals(begun, unit.root()));
            kept = 0;
            searched = false;
            place = beginning();
        }
    }

    /** Drops the other parts of each chain of which a part may have been kept: they are kept as well. */
    private void dropRests(List<Expiry.Unit> tried) {
        Set<Long> roots = tried.stream().map(Expiry.Unit::root).collect(Collectors.toSet());
        units.removeIf(unit -> roots.contains(unit.root()));
    }

    /** Removes and returns the next units for one batch. */
    private List<Expiry.Unit> take(int max) {
        List<Expiry.Unit> taken = new ArrayList<>();
        int jobs = 0;
        while (!units.isEmpty()
                && (taken.isEmpty() || jobs + units.getFirst().jobs().size() <= max)) {
            Expiry.Unit unit = units.removeFirst();
            taken.add(unit);
            jobs += unit.jobs().size();
        }
        return taken;
    }

    /** Archives the units, in as many calls as it takes to keep few jobs in memory. */
    private void archive(JobArchive archive, List<Expiry.Unit> taken) {
        List<JobHistory> going = new ArrayList<>();
        int weight = 0;
        for (Expiry.Unit unit : taken) {
            for (Expiry.Job job : archived.contains(unit) ? List.<Expiry.Job>of() : unit.jobs()) {
                // If the job does not exist any more, another process has archived and deleted it.
                JobHistory history = histories.apply(job.id()).orElse(null);
                if (history != null) {
                    going.add(history);
                    weight += Weight.of(history);
                }
                if (weight > ARCHIVED_AT_ONCE) {
                    store(archive, going);
                    going = new ArrayList<>();
                    weight = 0;
                }
            }
        }
        if (!going.isEmpty()) {
            store(archive, going);
        }
    }

    private static void store(JobArchive archive, List<JobHistory> going) {
        try {
            archive.archive(going);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(e);
        } catch (Exception e) {
            throw failed(e);
        }
    }

    private static WindrowException failed(Exception e) {
        return new WindrowException(
                "the archive failed, so no more jobs are deleted: "
                        + (e.getMessage() == null ? e.toString() : e.getMessage()),
                e);
    }

    /** Adapts the size of the next batch to its target time; the size at most doubles. */
    private void adapt(int jobs, long nanos) {
        if (jobs == 0) {
            return;
        }
        Duration time = store.expiryTime();
        double fits = (double) time.toNanos() * jobs / Math.max(1, nanos);
        double least = Math.max(SMALLEST_BATCH, SMALLEST_PER_MILLISECOND * time.toMillis());
        batch = (int) Math.max(least, Math.min(Math.min(LARGEST_BATCH, 2.0 * batch), fits));
    }

    /** Recounts the sums of failures, prunes rows other than jobs, and then returns free space. */
    private long finish() {
        if (!preview && cleanup.type() == null) {
            if (!recounted) {
                recounted = true;
                recount();
                return SHORTEST_PAUSE.toNanos();
            }
            if (!pruned) {
                pruned = Answers.get(store, new Prune(PRUNED, asOfMillis)) < PRUNED;
                return SHORTEST_PAUSE.toNanos();
            }
            if (Answers.get(store, new Shrink()) > 0) {
                return SHORTEST_PAUSE.toNanos() * PAUSE_FACTOR;
            }
        }
        complete = true;
        return DONE;
    }

    /**
     * Corrects the sums of failures. With very many failed jobs this takes longer than a read may. Then the sums stay
     * unchanged, and the rest of the pass continues.
     */
    private void recount() {
        try {
            Recount wrong = store.wrongFailureSums();
            int codes = wrong.sums().isEmpty() ? 0 : Answers.get(store, wrong);
            if (codes > 0) {
                log.warn(
                        "The sums of failures were wrong for {} error codes, and are right now: a process of an older version"
                                + " has changed failed jobs after the upgrade, or they were changed by hand",
                        codes);
            }
        } catch (StoreUnavailableException e) {
            log.warn("The sums of failures could not be recounted; the next pass tries again: {}", e.getMessage());
        }
    }
}
