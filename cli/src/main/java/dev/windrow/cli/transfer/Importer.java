package dev.windrow.cli.transfer;

import dev.windrow.Enqueued;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.Jobs;
import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.terminal.Progress;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Schedule;
import dev.windrow.workflow.ParentPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues the jobs of another system's file, and ends each job that has ended there. Each batch of 1000 jobs or 16 MiB is one transaction. Every job has
 * a dedupe key with its id there, so that another import continues an interrupted one, and enqueues no job twice.
 */
final class Importer {
    private static final int BATCH = 1000;
    private static final int BATCH_LENGTH = 16 << 20;
    /** In place of the id of a job that an earlier import wrote, and that was deleted here. No job waits for it, as in GigQ. */
    private static final long DELETED = -1;

    private final ForeignQueue source;
    private final boolean skipRunning;
    /** Null for a dry run without a queue. */
    private final @Nullable Windrow windrow;

    private final boolean dryRun;
    private final Progress progress;
    private final List<ForeignJob> batch = new ArrayList<>();
    private final List<String> batchIds = new ArrayList<>();
    private int length;
    /** The ids of jobs by their ids there; 0 for a job of the batch, and in a dry run. Empty if no job has parents. */
    private final Map<String, Long> ids = new HashMap<>();

    private final Set<String> skippedIds = new HashSet<>();
    /** The dedupe keys of all jobs of the file so far. */
    private final Set<String> keys = new HashSet<>();
    /** The ids of jobs that an earlier import wrote, by their dedupe keys. The type of such a job may have had another name. */
    private final Map<String, Long> old = new HashMap<>();
    /** Jobs that were read before one of their parents, or depend on a skipped one. */
    private final Map<String, ForeignJob> early = new LinkedHashMap<>();

    private final Map<ForeignState, Long> imported = new EnumMap<>(ForeignState.class);
    private final Map<String, Long> skipped = new LinkedHashMap<>();
    private final Map<String, Long> leftOut = new LinkedHashMap<>();
    private long schedules;

    Importer(ForeignQueue source, boolean skipRunning, @Nullable Windrow windrow, boolean dryRun, Progress progress) {
        this.source = source;
        this.skipRunning = skipRunning;
        this.windrow = windrow;
        this.dryRun = dryRun;
        this.progress = progress;
    }

    Map<ForeignState, Long> imported() {
        return imported;
    }

    /** Returns the number of imported jobs. */
    long jobs() {
        return imported.values().stream().mapToLong(Long::longValue).sum();
    }

    long schedules() {
        return schedules;
    }

    /** Returns the reasons why jobs and schedules were not imported, with their numbers. */
    Map<String, Long> skipped() {
        return skipped;
    }

    /** Returns values of imported jobs that have no counterpart, with the number of jobs. */
    Map<String, Long> leftOut() {
        return leftOut;
    }

    void run(ForeignFile file) {
        try {
            if (windrow != null) {
                windrow.jobs(JobFilter.ALL.withTags(source.tag())).oldestFirst().forEach(job -> {
                    if (job.dedupeKey() != null) {
                        old.put(job.dedupeKey(), job.id());
                    }
                });
            }
            file.each(source.jobs(), this::take);
            takeEarly();
            flush();
            source.schedules(file, this::save, reason -> count(skipped, reason));
        } catch (WindrowException e) {
            throw new FailedException(
                    "%s. %s imported: run the command again for the rest"
                            .formatted(e.getMessage(), jobs() == 1 ? "1 job was" : "%,d jobs were".formatted(jobs())),
                    e);
        }
    }

    private static <K> void count(Map<K, Long> counts, K key) {
        counts.merge(key, 1L, Long::sum);
    }

    private void take(Row row) {
        String id = "";
        ForeignJob job;
        try {
            id = source.id(row);
            job = source.job(row);
        } catch (InvalidRequestException e) {
            skip(id, TerminalText.oneLine(String.valueOf(e.getMessage())));
            return;
        }
        if (!keys.add(job.key())) {
            skip(id, "another job of the file has the same id");
        } else if (skipRunning && job.state() == ForeignState.RUNNING) {
            skip(id, "running there");
        } else if (ids.keySet().containsAll(job.parents())) {
            add(id, job);
        } else {
            early.put(id, job);
        }
    }

    private void skip(String id, String reason) {
        count(skipped, reason);
        if (source.hasParents()) {
            skippedIds.add(id);
        }
    }

    /** Adds the jobs that were read before their parents. A parent that is not in the file was deleted there after its end. */
    private void takeEarly() {
        early.values().forEach(job -> {
            boolean deleted = job.parents()
                    .removeIf(parent ->
                            !ids.containsKey(parent) && !skippedIds.contains(parent) && !early.containsKey(parent));
            if (deleted) {
                job.leave("dependencies on jobs that are not in the file");
            }
        });
        int before;
        do {
            before = early.size();
            Map<String, ForeignJob> waiting = new LinkedHashMap<>(early);
            waiting.forEach((id, job) -> {
                boolean isSkipped = job.parents().stream().anyMatch(skippedIds::contains);
                if (isSkipped) {
                    skip(id, "depends on a skipped job");
                } else if (ids.keySet().containsAll(job.parents())) {
                    add(id, job);
                } else {
                    return;
                }
                early.remove(id);
            });
        } while (early.size() < before);
        early.keySet().forEach(id -> skip(id, "depends on itself, over other jobs"));
    }

    private void add(String id, ForeignJob job) {
        Long known = old.get(job.key());
        if (known != null) {
            imported(job, true);
            if (source.hasParents()) {
                ids.put(id, known);
            }
            return;
        }
        batch.add(job);
        batchIds.add(id);
        length += job.length();
        if (source.hasParents()) {
            ids.put(id, 0L);
        }
        if (batch.size() == BATCH || length >= BATCH_LENGTH) {
            flush();
        }
    }

    private void flush() {
        if (batch.isEmpty()) {
            return;
        }
        Map<String, Long> known = new HashMap<>();
        List<Enqueued<?>> written = dryRun ? List.of() : write(known);
        for (int i = 0; i < batch.size(); i++) {
            boolean isOld = !dryRun && written.get(i).deduplicated();
            imported(batch.get(i), isOld);
        }
        if (source.hasParents()) {
            ids.putAll(known);
        }
        batch.clear();
        batchIds.clear();
        length = 0;
        progress.step("importing", ": %,d jobs".formatted(jobs()));
    }

    private void imported(ForeignJob job, boolean isOld) {
        if (isOld) {
            count(skipped, "imported before");
        } else {
            count(imported, job.state());
            job.leftOut().forEach(what -> count(leftOut, what));
        }
    }

    /**
     * Enqueues the batch in one transaction: together as many jobs as depend on enqueued ones only.
     *
     * @param known gets the ids of the jobs by their ids there
     */
    private List<Enqueued<?>> write(Map<String, Long> known) {
        Windrow open = Objects.requireNonNull(windrow);
        return open.inTransaction(connection -> {
            Jobs jobs = open.on(connection);
            List<Enqueued<?>> written = new ArrayList<>();
            while (written.size() < batch.size()) {
                List<JobRequest<Json, Json>> ready = new ArrayList<>();
                for (int i = written.size();
                        i < batch.size() && isKnown(batch.get(i).parents(), known);
                        i++) {
                    ready.add(request(batch.get(i), known));
                }
                for (Enqueued<?> job : jobs.enqueueAll(ready)) {
                    int i = written.size();
                    written.add(job);
                    boolean exists = !job.deduplicated() || open.job(job.id()).exists();
                    known.put(batchIds.get(i), exists ? job.id() : DELETED);
                    if (!job.deduplicated()) {
                        batch.get(i).end(jobs, job.id());
                    }
                }
            }
            return written;
        });
    }

    private JobRequest<Json, Json> request(ForeignJob job, Map<String, Long> known) {
        List<Long> parents = new ArrayList<>();
        job.parents().forEach(parent -> parents.add(known.getOrDefault(parent, ids.get(parent))));
        if (parents.removeIf(parent -> parent == DELETED)) {
            job.leave("dependencies on jobs that were deleted here");
        }
        return job.request()
                .withParents(
                        ParentPolicy.WAIT, parents.stream().map(JobRef::raw).toList());
    }

    private boolean isKnown(Collection<String> parents, Map<String, Long> known) {
        return parents.stream().allMatch(parent -> known.containsKey(parent) || ids.getOrDefault(parent, 0L) != 0);
    }

    private void save(Schedule schedule) {
        if (windrow != null && windrow.schedules().find(schedule.name()).isPresent()) {
            count(skipped, "schedule '%s' exists already".formatted(schedule.name()));
            return;
        }
        if (!dryRun) {
            Objects.requireNonNull(windrow).schedules().save(schedule);
        }
        schedules++;
    }
}
