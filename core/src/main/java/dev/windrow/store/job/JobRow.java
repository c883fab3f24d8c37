package dev.windrow.store.job;

import dev.windrow.Dedupe;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.store.workflow.ParentPlaces;
import dev.windrow.workflow.Parent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A new job as the store writes it: validated, the payload encoded.
 *
 * @param type the type's name
 * @param queue the queue
 * @param name a name for people, or null
 * @param payload JSON text, or the {@link dev.windrow.payload.BlobRef} of a staged blob; or null
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
 * @param waitMillis how long it waits for external completion once its parents have ended; no worker ever claims it then.
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

    /**
     * A job with what each has: its type, its queue, its attempts at most, and the actor that enqueues it. By default it has no more, priority 0,
     * and is due now.
     */
    public static Builder of(String type, String queue, int maxAttempts, String actor) {
        return new Builder(type, queue, maxAttempts, actor);
    }

    /** Builds a job that is like this one in all that is not given anew. */
    public Builder toBuilder() {
        return new Builder(type, queue, maxAttempts, actor)
                .name(name)
                .payload(payload)
                .priority(priority)
                .delayMillis(delayMillis)
                .runAtMillis(runAtMillis)
                .timeoutMillis(timeoutMillis)
                .retryPolicy(retryPolicy)
                .tags(tags)
                .parents(parents)
                .traceparent(traceparent)
                .dedupe(dedupe)
                .concurrencyKey(concurrencyKey)
                .waitMillis(waitMillis)
                .workflow(workflow)
                .scheduled(scheduled);
    }

    /** The same job with other parents. */
    public JobRow withParents(List<Parent> parents) {
        return toBuilder().parents(parents).build();
    }

    /** The same job in a workflow. */
    public JobRow withWorkflow(@Nullable Long workflow) {
        return toBuilder().workflow(workflow).build();
    }

    /** The same job, by another actor, made by a schedule or not. */
    public JobRow by(String actor, @Nullable Scheduled run) {
        return toBuilder().actor(actor).scheduled(run).build();
    }

    /** Builds a job. */
    public static final class Builder {
        private final String type;
        private final String queue;
        private @Nullable String name;
        private @Nullable String payload;
        private int priority;
        private @Nullable Long delayMillis;
        private @Nullable Long runAtMillis;
        private int maxAttempts;
        private @Nullable Long timeoutMillis;
        private @Nullable String retryPolicy;
        private List<String> tags = List.of();
        private List<Parent> parents = List.of();
        private @Nullable String traceparent;
        private @Nullable Dedupe dedupe;
        private @Nullable ConcurrencyKey concurrencyKey;
        private @Nullable Long waitMillis;
        private String actor;
        private @Nullable Long workflow;
        private @Nullable Scheduled scheduled;

        private Builder(String type, String queue, int maxAttempts, String actor) {
            this.type = type;
            this.queue = queue;
            this.maxAttempts = maxAttempts;
            this.actor = actor;
        }

        /** See {@link JobRow#name}; default null. */
        public Builder name(@Nullable String name) {
            this.name = name;
            return this;
        }

        /** See {@link JobRow#payload}; default null. */
        public Builder payload(@Nullable String payload) {
            this.payload = payload;
            return this;
        }

        /** See {@link JobRow#priority}; default 0. */
        public Builder priority(int priority) {
            this.priority = priority;
            return this;
        }

        /** See {@link JobRow#delayMillis}; default null. */
        public Builder delayMillis(@Nullable Long delayMillis) {
            this.delayMillis = delayMillis;
            return this;
        }

        /** See {@link JobRow#runAtMillis}; default null. */
        public Builder runAtMillis(@Nullable Long runAtMillis) {
            this.runAtMillis = runAtMillis;
            return this;
        }

        /** See {@link JobRow#maxAttempts}; instead of the number that was given first. */
        public Builder maxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
            return this;
        }

        /** See {@link JobRow#timeoutMillis}; default null. */
        public Builder timeoutMillis(@Nullable Long timeoutMillis) {
            this.timeoutMillis = timeoutMillis;
            return this;
        }

        /** See {@link JobRow#retryPolicy}; default null. */
        public Builder retryPolicy(@Nullable String retryPolicy) {
            this.retryPolicy = retryPolicy;
            return this;
        }

        /** See {@link JobRow#tags}; default none. */
        public Builder tags(List<String> tags) {
            this.tags = tags;
            return this;
        }

        /** See {@link JobRow#parents}; default none. */
        public Builder parents(List<Parent> parents) {
            this.parents = parents;
            return this;
        }

        /** See {@link JobRow#traceparent}; default null. */
        public Builder traceparent(@Nullable String traceparent) {
            this.traceparent = traceparent;
            return this;
        }

        /** See {@link JobRow#dedupe}; default null. */
        public Builder dedupe(@Nullable Dedupe dedupe) {
            this.dedupe = dedupe;
            return this;
        }

        /** See {@link JobRow#concurrencyKey}; default null. */
        public Builder concurrencyKey(@Nullable ConcurrencyKey concurrencyKey) {
            this.concurrencyKey = concurrencyKey;
            return this;
        }

        /** See {@link JobRow#waitMillis}; default null. */
        public Builder waitMillis(@Nullable Long waitMillis) {
            this.waitMillis = waitMillis;
            return this;
        }

        /** See {@link JobRow#actor}; instead of the actor that was given first. */
        public Builder actor(String actor) {
            this.actor = actor;
            return this;
        }

        /** See {@link JobRow#workflow}; default none. */
        public Builder workflow(@Nullable Long workflow) {
            this.workflow = workflow;
            return this;
        }

        /** See {@link JobRow#scheduled}; default none. */
        public Builder scheduled(@Nullable Scheduled scheduled) {
            this.scheduled = scheduled;
            return this;
        }

        /** The job. */
        public JobRow build() {
            return new JobRow(
                    /* type= */ type,
                    /* queue= */ queue,
                    /* name= */ name,
                    /* payload= */ payload,
                    /* priority= */ priority,
                    /* delayMillis= */ delayMillis,
                    /* runAtMillis= */ runAtMillis,
                    /* maxAttempts= */ maxAttempts,
                    /* timeoutMillis= */ timeoutMillis,
                    /* retryPolicy= */ retryPolicy,
                    /* tags= */ tags,
                    /* parents= */ parents,
                    /* traceparent= */ traceparent,
                    /* dedupe= */ dedupe,
                    /* concurrencyKey= */ concurrencyKey,
                    /* waitMillis= */ waitMillis,
                    /* actor= */ actor,
                    /* workflow= */ workflow,
                    /* scheduled= */ scheduled);
        }
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
