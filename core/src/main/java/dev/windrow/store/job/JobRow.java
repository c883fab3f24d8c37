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
 * @param name a descriptive name, or null
 * @param payload JSON text, or the {@link dev.windrow.payload.BlobRef} of a staged blob; or null
 * @param priority higher runs first
 * @param delayMillis the least delay from the moment of writing; null with {@code runAtMillis} or for no delay
 * @param runAtMillis the earliest start in epoch milliseconds; null for now
 * @param maxAttempts how many attempts at most
 * @param timeoutMillis the time limit of an attempt, or null for the worker's default
 * @param retryPolicy the job's own policy in stored form, or null for the type's
 * @param tags the tags
 * @param metadata the metadata as JSON text, or null
 * @param parents the parents, in declared order. The id -1 - place means the job at that place (from 0) of the same call, before or after this one
 *     ({@link ParentPlaces}). If an existing job takes the place of that job, by its dedupe key, the existing job is the parent, in its present
 *     state. If the existing job has been deleted, there is no wait
 * @param traceparent the trace context, or null
 * @param dedupe the dedupe key with its scope and strategy, or null
 * @param concurrencyKey the key that it shares with other jobs, or null
 * @param waitMillis how long it waits for external completion once its parents have ended; no worker ever claims such a job. Null for no wait
 * @param actor the actor that enqueues, for the event log
 * @param workflow the workflow of the job; {@link #NEW_WORKFLOW} for the one new workflow that this call makes for all its rows with this value; null
 *     for none
 * @param scheduled the run of a schedule for which it is made, null for none; the job is ready at once, and counts as due at the run's due time
 * @param beginsChain true if it begins a declared chain; without effect for the next job of a chain
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
        @Nullable String metadata,
        List<Parent> parents,
        @Nullable String traceparent,
        @Nullable Dedupe dedupe,
        @Nullable ConcurrencyKey concurrencyKey,
        @Nullable Long waitMillis,
        String actor,
        @Nullable Long workflow,
        @Nullable Scheduled scheduled,
        boolean beginsChain) {
    /**
     * A run of a schedule.
     *
     * @param name the schedule's name
     * @param dueMillis the due time, which has come; null if the schedule was triggered without a due time
     */
    public record Scheduled(String name, @Nullable Long dueMillis) {}

    /** The placeholder for a workflow that has no id yet. The store assigns the id from the same sequence as the ids of jobs. */
    public static final long NEW_WORKFLOW = 0;

    /**
     * Returns a builder for a job with its required parts: type, queue, number of attempts at most, and actor. By default the job has no other parts,
     * has priority 0, and is due now.
     */
    public static Builder of(String type, String queue, int maxAttempts, String actor) {
        return new Builder(type, queue, maxAttempts, actor);
    }

    /** Returns a builder with all values of this job. */
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
                .metadata(metadata)
                .parents(parents)
                .traceparent(traceparent)
                .dedupe(dedupe)
                .concurrencyKey(concurrencyKey)
                .waitMillis(waitMillis)
                .workflow(workflow)
                .scheduled(scheduled)
                .beginsChain(beginsChain);
    }

    /** Returns the same job with other parents. */
    public JobRow withParents(List<Parent> parents) {
        return toBuilder().parents(parents).build();
    }

    /** Returns the same job in a workflow. */
    public JobRow withWorkflow(@Nullable Long workflow) {
        return toBuilder().workflow(workflow).build();
    }

    /** Returns the same job, by another actor, made by a schedule or not. */
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
        private @Nullable String metadata;
        private List<Parent> parents = List.of();
        private @Nullable String traceparent;
        private @Nullable Dedupe dedupe;
        private @Nullable ConcurrencyKey concurrencyKey;
        private @Nullable Long waitMillis;
        private String actor;
        private @Nullable Long workflow;
        private @Nullable Scheduled scheduled;
        private boolean beginsChain;

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

        /** See {@link JobRow#maxAttempts}. Replaces the number that was given first. */
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

        /** See {@link JobRow#metadata}; default null. */
        public Builder metadata(@Nullable String metadata) {
            this.metadata = metadata;
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

        /** See {@link JobRow#actor}. Replaces the actor that was given first. */
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

        /** See {@link JobRow#beginsChain}; default false. */
        public Builder beginsChain(boolean beginsChain) {
            this.beginsChain = beginsChain;
            return this;
        }

        /** Returns the job. */
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
                    /* metadata= */ metadata,
                    /* parents= */ parents,
                    /* traceparent= */ traceparent,
                    /* dedupe= */ dedupe,
                    /* concurrencyKey= */ concurrencyKey,
                    /* waitMillis= */ waitMillis,
                    /* actor= */ actor,
                    /* workflow= */ workflow,
                    /* scheduled= */ scheduled,
                    /* beginsChain= */ beginsChain);
        }
    }

    /** True if some of the rows belong to a workflow. */
    public static boolean areOfWorkflows(List<JobRow> rows) {
        for (JobRow row : rows) {
            if (row.workflow != null) {
                return true;
            }
        }
        return false;
    }

    /** True if some of the rows belong to a workflow that has no id yet. */
    public static boolean makeWorkflow(List<JobRow> rows) {
        for (JobRow row : rows) {
            if (row.workflow != null && row.workflow == NEW_WORKFLOW) {
                return true;
            }
        }
        return false;
    }

    /** Returns the rows. Rows of the new workflow get its id. */
    public static List<JobRow> inWorkflow(List<JobRow> rows, long id) {
        return rows.stream()
                .map(row -> row.workflow != null && row.workflow == NEW_WORKFLOW ? row.withWorkflow(id) : row)
                .toList();
    }
}
