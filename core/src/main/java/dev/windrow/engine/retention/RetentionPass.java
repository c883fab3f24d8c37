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
 * One pass of retention, a step at a time: looks for jobs that may go, and deletes them in transactions that are too short for
 * others to notice. It may end after any step; a later pass finds what is left. Used by one thread.
 */
final class RetentionPass {
    private static final Logger log = SafeLogger.of(RetentionPass.class);

    /** A batch that takes this many times as long as one is to take begins nothing more. */
    private static final int BUDGET = 2;
    /** After each one, this many times as long is for others. */
    private static final int PAUSE_FACTOR = 2;
    /** The shortest rest, in which another process gets the same lock. */
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(5);

    private static final int FIRST_BATCH = 50;
    /** The size to which a slow moment shrinks a batch: the greater one of this and the next one for each millisecond that it is to take. */
    private static final int SMALLEST_BATCH = 8;

    private static final int SMALLEST_PER_MILLISECOND = 4;
    private static final int LARGEST_BATCH = 1000;
    /** Rounds of one pass: each may free the parents of what the one before has deleted. */
    private static final int MAX_ROUNDS = 100;
    /** Rows of what is no job, of each kind, in one transaction. */
    private static final int PRUNED = 500;

    /** The weight of the jobs that an archive gets at once, or little more: some megabytes. */
    private static final int ARCHIVED_AT_ONCE = 4096;

    /** The result of the last step. */
    static final long DONE = -1;

    private final OpenStore store;
    private final Cleanup cleanup;
    private final boolean preview;
    private final String actor;
    private final LongFunction<Optional<JobHistory>> histories;
    private final Consumer<List<String>> files;

    /** The jobs that were found; of a chain that is longer than {@link Expiry#PART} each part. */
    private final Deque<Expiry.Unit> units = new ArrayDeque<>();
    /** Those of them that the archive has, since the batch in which they were had no time for them. */
    private final Set<Expiry.Unit> archived = new HashSet<>();

    private final Map<JobState, Long> deleted = new EnumMap<>(JobState.class);
    /** Of a dry run: the chains that were counted, which are found by each of their jobs. */
    private final Set<Long> counted = new HashSet<>();

    /** The store's clock at the beginning: by it all that goes is old, however long the pass takes and whatever becomes of the clock. */
    private final long asOfMillis;

    /** The store's rules as they were read last. */
    private RetentionRules storeRules;
    /** The rules of the pass: those, and the ages that were asked for. */
    private RetentionRules rules;

    private Expiry.@Nullable Place place;
    private boolean searched;
    private int batch = FIRST_BATCH;
    private int rounds = 1;
    private long kept;
    private long deletedInRound;
    private @Nullable Long audit;
    /** The chain of which a part was dealt with last: it goes as a whole. */
    private @Nullable Long begun;

    /** True if parts of long payloads and results may be left of jobs that are gone: of this pass, or at its beginning of one that was killed. */
    private boolean parts;

    /** True if the store asked for a pause. */
    private boolean waits;

    private boolean complete;
    private boolean pruned;
    private boolean recounted;

    /**
     * A pass that has not begun.
     *
     * @param rules those of the store
     * @param preview true to count only
     * @param histories reads a job for the archive
     * @param files deletes files of blobs whose jobs are gone
     */
    RetentionPass(
            OpenStore store,
            RetentionRules rules,
            Cleanup cleanup,
            boolean preview,
            String actor,
            LongFunction<Optional<JobHistory>> histories,
            Consumer<List<String>> files) {
        this.store = store;
        this.storeRules = rules;
        this.rules = withAges(rules, cleanup);
        this.cleanup = cleanup;
        this.preview = preview;
        this.actor = actor;
        this.histories = histories;
        this.files = files;
        this.asOfMillis = store.task(BackgroundTask.RETENTION).nowMillis();
        this.place = beginning();
        this.parts = !preview;
    }

    private Expiry.Place beginning() {
        return new Expiry.Place(asOfMillis, JobState.FAILED, 0, Long.MIN_VALUE);
    }

    /** The result so far. */
    RetentionResult sofar() {
        return new RetentionResult(deleted, kept, complete);
    }

    private long total() {
        return deleted.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Does the next step; answers for how many nanoseconds to rest, or {@link #DONE}. */
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

    /** Begins another round if the last one may have freed something; a dry run deletes nothing, and frees nothing. */
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

    /** Some parts of long payloads and results whose jobs are gone; no blob that waits for its job is as old as that. */
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
                        new Expire.Pass(actor, rules.text(), asOfMillis, storeRules),
                        audit,
                        Map.copyOf(deleted),
                        BUDGET * store.expiryTime().toNanos()));
        // Committed: nothing in the database names them any more.
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
            log.info("Retention waits: others read for so long that the write-ahead log cannot be written back");
        }
        waits = done.pauseNanos() > 0;
        return Math.max(done.pauseNanos(), Math.max(SHORTEST_PAUSE.toNanos(), PAUSE_FACTOR * done.nanos()));
    }

    /** Returns the rules, with the ages of the call in place of those for the same states, whatever the type. */
    private static RetentionRules withAges(RetentionRules rules, Cleanup cleanup) {
        List<RetentionRules.Rule> all = new ArrayList<>(cleanup.ages().values());
        rules.rules().stream()
                .filter(rule -> !cleanup.ages().containsKey(rule.state()))
                .forEach(all::add);
        return new RetentionRules(all);
    }

    /**
     * By rules that stand no longer nothing is deleted: by those that do, what may go is found again. The rest of a chain goes all the same, for without its
     * beginning it is of no use.
     */
    private void readRules() {
        RetentionRules present = store.retention();
        if (!present.equals(storeRules)) {
            log.info("The rules of retention have changed: what may go is looked for anew, by {}", present.text());
            storeRules = present;
            rules = withAges(present, cleanup);
            units.removeIf(unit -> !Objects.equals(begun, unit.root()));
            kept = 0;
            searched = false;
            place = beginning();
        }
    }

    /** Of a long chain of which a part may have stayed, the rest stays as well. */
    private void dropRests(List<Expiry.Unit> tried) {
        Set<Long> roots = tried.stream().map(Expiry.Unit::root).collect(Collectors.toSet());
        units.removeIf(unit -> roots.contains(unit.root()));
    }

    /** The next units, as many as make up a batch. */
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

    /** In as many calls as it takes to have few of them in memory. */
    private void archive(JobArchive archive, List<Expiry.Unit> taken) {
        List<JobHistory> going = new ArrayList<>();
        int weight = 0;
        for (Expiry.Unit unit : taken) {
            for (Expiry.Job job : archived.contains(unit) ? List.<Expiry.Job>of() : unit.jobs()) {
                // A job that does not exist any more was deleted by another process, which has archived it.
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
                "the archive failed, so that no more is deleted: "
                        + (e.getMessage() == null ? e.toString() : e.getMessage()),
                e);
    }

    /** Towards batches that take as long as they may; at most twice as large at a time. */
    private void adapt(int jobs, long nanos) {
        if (jobs == 0) {
            return;
        }
        Duration time = store.expiryTime();
        double fits = (double) time.toNanos() * jobs / Math.max(1, nanos);
        double least = Math.max(SMALLEST_BATCH, SMALLEST_PER_MILLISECOND * time.toMillis());
        batch = (int) Math.max(least, Math.min(Math.min(LARGEST_BATCH, 2.0 * batch), fits));
    }

    /** The sums, what is no job, and then the space. */
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

    /** With very many failed jobs it takes longer than a read may: then the sums stay as they are, and the rest of the pass is done all the same. */
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
            log.warn("The sums of failures could not be counted again, which the next pass tries: {}", e.getMessage());
        }
    }
}
