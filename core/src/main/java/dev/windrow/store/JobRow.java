package dev.windrow.store;

import dev.windrow.ConcurrencyKey;
import dev.windrow.Dedupe;
import dev.windrow.Parent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A new job as the store writes it: validated, the payload encoded.
 *
 * @param type the type's name
 * @param queue the queue
 * @param name a name for people, or null
 * @param payload JSON text, or the {@link dev.windrow.BlobRef} of a staged blob; or null
 * @param priority higher runs first
 * @param delayMillis not before this long from the moment of writing; null with {@code runAtMillis} or for now
 * @param runAtMillis not before this time in epoch milliseconds; null for now
 * @param maxAttempts how many attempts at most
 * @param timeoutMillis the time limit of an attempt, or null for the worker's default
 * @param retryPolicy the job's own policy in stored form, or null for the type's
 * @param tags the tags
 * @param parents the parents, in declared order; one whose id is -1 - place is the job at that place (from 0) of the same call,
 *     before or after this one ({@link ParentPlaces}). Where an existing job stands for that one, by its dedupe key, the existing
 *     one is the parent, by its state; if that has been deleted there is nothing to wait for
 * @param traceparent the trace context, or null
 * @param dedupe the dedupe key with its scope and strategy, or null
 * @param concurrencyKey the key that it shares with other jobs, or null
 * @param waitMillis how long it waits for somebody outside to end it, once its parents have ended; no worker ever claims it then.
 *     Null: it waits for nobody
 * @param actor who enqueues, for the event log
 * @param workflow the workflow that it belongs to; {@link #NEW_WORKFLOW} for the one that this call makes, of all its rows that
 *     say so; null for none
 * @param scheduled the run of a schedule for which it is made, null for none: it is ready at once, and counts as due at the run's due time
 */
public record JobRow(
        String type,
        String queue,
        @Nullable String name,
        @Nullable String payload,
        int priority,
        @Nullable Long delayMillis,
        @Nullable Long runAtMillis,
        int maxAttempts,
        @Nullable Long timeoutMillis,
        @Nullable String retryPolicy,
        List<String> tags,
        List<Parent> parents,
        @Nullable String traceparent,
        @Nullable Dedupe dedupe,
        @Nullable ConcurrencyKey concurrencyKey,
        @Nullable Long waitMillis,
        String actor,
        @Nullable Long workflow,
        @Nullable Scheduled scheduled) {
    /**
     * A run of a schedule.
     *
     * @param name the schedule's name
     * @param dueMillis the due time, which has come; null: it was run out of turn
     */
    public record Scheduled(String name, @Nullable Long dueMillis) {}

    /** Stands for a workflow that has no id yet: the store gives it one, from the allocator of the ids of jobs. */
    public static final long NEW_WORKFLOW = 0;

    /** A job of no workflow. */
    public JobRow(
            String type,
            String queue,
            @Nullable String name,
            @Nullable String payload,
            int priority,
            @Nullable Long delayMillis,
            @Nullable Long runAtMillis,
            int maxAttempts,
            @Nullable Long timeoutMillis,
            @Nullable String retryPolicy,
            List<String> tags,
            List<Parent> parents,
            @Nullable String traceparent,
            @Nullable Dedupe dedupe,
            @Nullable ConcurrencyKey concurrencyKey,
            @Nullable Long waitMillis,
            String actor) {
        this(
                type,
                queue,
                name,
                payload,
                priority,
                delayMillis,
                runAtMillis,
                maxAttempts,
                timeoutMillis,
                retryPolicy,
                tags,
                parents,
                traceparent,
                dedupe,
                concurrencyKey,
                waitMillis,
                actor,
                null,
                null);
    }

    /** The same job with other parents. */
    public JobRow withParents(List<Parent> parents) {
        return with(parents, actor, workflow, scheduled);
    }

    /** The same job in a workflow. */
    public JobRow withWorkflow(@Nullable Long workflow) {
        return with(parents, actor, workflow, scheduled);
    }

    /** The same job, by another actor, made by a schedule or not. */
    public JobRow by(String actor, @Nullable Scheduled run) {
        return with(parents, actor, workflow, run);
    }

    private JobRow with(List<Parent> parents, String actor, @Nullable Long workflow, @Nullable Scheduled scheduled) {
        return new JobRow(
                type,
                queue,
                name,
                payload,
                priority,
                delayMillis,
                runAtMillis,
                maxAttempts,
                timeoutMillis,
                retryPolicy,
                tags,
                parents,
                traceparent,
                dedupe,
                concurrencyKey,
                waitMillis,
                actor,
                workflow,
                scheduled);
    }

    /** Whether some of the rows belong to a workflow. */
    public static boolean areOfWorkflows(List<JobRow> rows) {
        for (JobRow row : rows) {
            if (row.workflow != null) {
                return true;
            }
        }
        return false;
    }

    /** Whether some of the rows belong to a workflow that has no id yet. */
    public static boolean makeWorkflow(List<JobRow> rows) {
        for (JobRow row : rows) {
            if (row.workflow != null && row.workflow == NEW_WORKFLOW) {
                return true;
            }
        }
        return false;
    }

    /** The rows, those of the new workflow with its id. */
    public static List<JobRow> inWorkflow(List<JobRow> rows, long id) {
        return rows.stream()
                .map(row -> row.workflow != null && row.workflow == NEW_WORKFLOW ? row.withWorkflow(id) : row)
                .toList();
    }
}
