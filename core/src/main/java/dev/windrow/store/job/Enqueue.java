package dev.windrow.store.job;

import dev.windrow.store.Command;
import dev.windrow.store.Weight;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes new jobs, all or none. Results are in input order. Jobs may wait for each other, listed in any order ({@link JobRow#parents}), but not in a
 * cycle. They may belong to a workflow ({@link JobRow#workflow}).
 */
public final class Enqueue implements Command<List<EnqueuedJob>> {
    private final List<JobRow> jobs;
    private final boolean hasKeys;
    private final boolean hasDedupeKeys;
    private final boolean hasParents;

    /** Creates the command for these jobs. The list may be empty. */
    public Enqueue(List<JobRow> jobs) {
        this.jobs = List.copyOf(jobs);
        boolean dedupe = false;
        boolean concurrency = false;
        boolean parents = false;
        // Computed once, on the caller's thread, because the writer reads each flag more than once.
        for (JobRow job : this.jobs) {
            dedupe |= job.dedupe() != null;
            concurrency |= job.concurrencyKey() != null;
            parents |= !job.parents().isEmpty();
        }
        this.hasKeys = dedupe || concurrency;
        this.hasDedupeKeys = dedupe;
        this.hasParents = parents;
    }

    /** Returns the jobs. */
    public List<JobRow> jobs() {
        return jobs;
    }

    /** True if some of the jobs have a dedupe key or a concurrency key. */
    public boolean hasKeys() {
        return hasKeys;
    }

    /** True if some of the jobs have a dedupe key. */
    public boolean hasDedupeKeys() {
        return hasDedupeKeys;
    }

    /** True if some of the jobs wait for others. */
    public boolean hasParents() {
        return hasParents;
    }

    @Override
    public Phase phase() {
        return Phase.ENQUEUE;
    }

    @Override
    public String what() {
        return "enqueuing " + jobs.size() + (jobs.size() == 1 ? " job" : " jobs");
    }

    @Override
    public int weight() {
        return Weight.of(jobs);
    }

    @Override
    public List<Long> newJobs(List<EnqueuedJob> answer) {
        List<Long> ids = new ArrayList<>(answer.size());
        for (EnqueuedJob job : answer) {
            if (!job.deduplicated()) {
                ids.add(job.id());
            }
        }
        return ids;
    }
}
