package dev.windrow.store;

import java.util.List;

/**
 * Writes new jobs, all or none; answers in input order. They may wait for each other, in whatever order they are listed ({@link
 * JobRow#parents}), but not in a cycle, and belong to a workflow ({@link JobRow#workflow}).
 *
 * @param jobs the jobs; none is allowed
 */
public record Enqueue(List<JobRow> jobs) implements Command<List<EnqueuedJob>> {
    /** Copies the list. */
    public Enqueue {
        jobs = List.copyOf(jobs);
    }

    /** True if some of the jobs have a dedupe key or a concurrency key. */
    public boolean hasKeys() {
        return jobs.stream().anyMatch(job -> job.dedupe() != null || job.concurrencyKey() != null);
    }

    /** True if some of the jobs have a dedupe key. */
    public boolean hasDedupeKeys() {
        return jobs.stream().anyMatch(job -> job.dedupe() != null);
    }

    /** True if some of the jobs wait for others. */
    public boolean hasParents() {
        return jobs.stream().anyMatch(job -> !job.parents().isEmpty());
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
        return answer.stream()
                .filter(job -> !job.deduplicated())
                .map(EnqueuedJob::id)
                .toList();
    }
}
