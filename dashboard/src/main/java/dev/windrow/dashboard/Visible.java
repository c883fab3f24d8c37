package dev.windrow.dashboard;

import dev.windrow.Enqueued;
import dev.windrow.Explanation;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.Windrow;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.query.JobFilter;
import dev.windrow.wire.JobJson;
import dev.windrow.wire.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rules for senders that see some queues only. What they do not see looks to them as if it did not exist. */
final class Visible {
    private Visible() {}

    /** Returns the filter for the only queue that the sender sees; the same filter if there are several. */
    static JobFilter narrowed(Access access, JobFilter filter) {
        Set<String> queues = access.queues();
        return queues != null && queues.size() == 1 && filter.queue() == null
                ? filter.withQueue(queues.iterator().next())
                : filter;
    }

    /** False if the sender sees no job of the filter. */
    static boolean mayMatch(Access access, JobFilter filter) {
        Set<String> queues = access.queues();
        return queues == null || (!queues.isEmpty() && (filter.queue() == null || queues.contains(filter.queue())));
    }

    /** Returns the queue of a statistic: the one that is named, or the only one that the sender sees; null for all queues. */
    static @Nullable String queue(Access access, @Nullable String named) {
        Set<String> queues = access.queues();
        if (queues == null || (named != null && queues.contains(named))) {
            return named;
        }
        if (named != null) {
            throw Problem.notFound("queue '%s' does not exist".formatted(named));
        }
        if (queues.size() != 1) {
            throw queueMissing(access, "queue");
        }
        return queues.iterator().next();
    }

    /** Returns the problem of a request that must name one of several queues. */
    static Problem queueMissing(Access access, String field) {
        return Problem.invalid(
                "%s is missing; allowed: one of the queues that you see: %s".formatted(field, names(access)));
    }

    /** True if the job exists and the sender sees it. */
    static boolean sees(Access access, Windrow windrow, long job) {
        try {
            return access.sees(windrow.job(job).info().queue());
        } catch (JobNotFoundException e) {
            return false;
        }
    }

    /** Returns the problem of a request for which some queues are not enough. */
    static Problem allQueues(Access access, String what) {
        return new Problem(
                        ProblemKind.FORBIDDEN,
                        "%s concerns jobs of all queues, and you may see these only: %s".formatted(what, names(access)))
                .with("needs", "all queues");
    }

    private static String names(Access access) {
        return Objects.requireNonNull(access.queues()).stream().sorted().collect(Collectors.joining(", "));
    }

    /** Leaves out the holders of a key that the sender does not see. */
    static Explanation explanation(Access access, Windrow windrow, Explanation explanation) {
        return access.queues() == null
                ? explanation
                : new Explanation(
                        explanation.id(),
                        explanation.state(),
                        explanation.reasons().stream()
                                .map(reason -> reason instanceof Explanation.KeyHeld held
                                        ? new Explanation.KeyHeld(
                                                held.key(),
                                                held.limit(),
                                                held.holders().stream()
                                                        .filter(holder -> sees(access, windrow, holder.id()))
                                                        .toList())
                                        : reason)
                                .toList());
    }

    /** True if a job of another queue has the dedupe key of a new job. */
    static boolean hides(Call call, Enqueued<?> job) {
        return call.access().queues() != null && job.deduplicated() && !sees(call.access(), call.windrow(), job.id());
    }

    /** Returns a new job, or the job that had its dedupe key. The latter has no id and no state if it is hidden. */
    static JsonObject enqueued(Call call, Enqueued<?> job) {
        return hides(call, job)
                ? new JsonObject().put("id", null).put("state", null).put("deduplicated", true)
                : JobJson.enqueued(job);
    }

    /** Returns the jobs that the sender sees. */
    static List<JobInfo> of(Access access, List<JobInfo> jobs) {
        return jobs.stream().filter(job -> access.sees(job.queue())).toList();
    }

    /** Returns the workers that serve a queue that the sender sees. */
    static List<WorkerInfo> workers(Access access, List<WorkerInfo> workers) {
        return workers.stream()
                .filter(worker -> worker.queues().stream().anyMatch(access::sees))
                .toList();
    }

    /** Returns these workers without the parts that the sender does not see. */
    static List<WorkerInfo> partsOf(Access access, Windrow windrow, List<WorkerInfo> workers) {
        return workers(access, workers).stream()
                .map(worker -> worker.queues().stream().allMatch(access::sees)
                        ? worker
                        : VisibleWorker.of(access, windrow, worker))
                .toList();
    }

    /** Returns the pauses and limits that the sender sees: those of types and keys apply to all queues. */
    static List<Limits> limits(Access access, List<Limits> limits) {
        return access.queues() == null
                ? limits
                : limits.stream()
                        .filter(limit -> limit.target().kind() == LimitTarget.Kind.QUEUE
                                && access.sees(limit.target().name()))
                        .toList();
    }
}
