package dev.windrow;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that are going to be enqueued together, some of which wait for others: a draft, in memory, until {@link Jobs#submit} writes all of
 * it or nothing. Not safe for use by many threads. Submitted twice it is two workflows.
 *
 * <p>Jobs are added in any order, and wait for what was added before or after them:
 *
 * <pre>{@code
 * Workflow flow = new Workflow();
 * Workflow.Step<Scan> scan = flow.add(SCAN, "scan.pdf");
 * Workflow.Step<Text> text = flow.add(READ, "scan.pdf").after(scan);
 * SubmittedWorkflow submitted = windrow.submit(flow);
 * JobRef<Text> job = submitted.job(text);
 * }</pre>
 *
 * <p>What is wrong with the whole, such as jobs that wait for each other in a circle, is told when it is submitted.
 */
public final class Workflow {
    private final List<Step<?>> steps = new ArrayList<>();

    /** A workflow without jobs. */
    public Workflow() {}

    /** Adds a job; what it {@linkplain JobRequest#withParents(JobRef...) depends on} are jobs that are stored already. */
    public <O extends @Nullable Object> Step<O> add(JobRequest<?, O> job) {
        Step<O> step = new Step<>(this, steps.size(), job);
        steps.add(step);
        return step;
    }

    /** Adds a job of a type without input. */
    public <O extends @Nullable Object> Step<O> add(JobType<@Nullable Void, O> type) {
        return add(type.job());
    }

    /** Adds a job with its type's defaults. */
    public <I extends @Nullable Object, O extends @Nullable Object> Step<O> add(JobType<I, O> type, @Nullable I input) {
        return add(type.job(input));
    }

    /**
     * Adds a batch: jobs, and one that runs when all of them have ended, well or not. The latter finds out how by {@link
     * JobContext#parents}. Of no jobs at all, it runs at once.
     *
     * @param jobs at most 50 000
     * @param callback what runs at the end; its {@linkplain JobRequest#withParents(JobRef...) own dependencies} come before the jobs of the batch
     */
    public <O extends @Nullable Object> Batch<O> batch(
            Collection<? extends JobRequest<?, ?>> jobs, JobRequest<?, O> callback) {
        List<Step<?>> members = new ArrayList<>(jobs.size());
        for (JobRequest<?, ?> job : jobs) {
            members.add(add(job));
        }
        Batch<O> batch = new Batch<>(this, steps.size(), callback, members);
        steps.add(batch);
        return batch;
    }

    /** The steps so far, in the order in which they were added. */
    public List<Step<?>> steps() {
        return List.copyOf(steps);
    }

    /**
     * The jobs in the order in which they were added, each with all its parents. A parent that is a job of this workflow has -1
     * - its place, from 0, for its id: what a {@linkplain dev.windrow.store.JobRow store} is told.
     *
     * @throws InvalidRequestException if a job waits for a step of another workflow, or twice for the same job, or for too many
     */
    public List<JobRequest<?, ?>> jobs() {
        List<JobRequest<?, ?>> jobs = new ArrayList<>(steps.size());
        for (Step<?> step : steps) {
            jobs.add(step.linked());
        }
        return jobs;
    }

    /**
     * A job of a workflow: a handle for what others are to wait for, and for what came of it. Not safe for use by many threads.
     *
     * @param <O> the type of the job's result
     */
    @SuppressWarnings("UnusedTypeParameter") // Carries the result's type to the reference.
    public static class Step<O extends @Nullable Object> {
        private record Link(@Nullable Step<?> step, long id, ParentPolicy onFailure) {}

        private final Workflow flow;
        private final int place;
        private final JobRequest<?, O> job;
        private final List<Link> links = new ArrayList<>();

        private Step(Workflow flow, int place, JobRequest<?, O> job) {
            this.flow = flow;
            this.place = place;
            this.job = job;
        }

        /** Waits until these are {@code COMPLETED}; keeps waiting when one of them fails. */
        public Step<O> after(Step<?>... steps) {
            return after(ParentPolicy.WAIT, Arrays.asList(steps));
        }

        /** Waits for these. */
        public Step<O> after(ParentPolicy onFailure, Step<?>... steps) {
            return after(onFailure, Arrays.asList(steps));
        }

        /**
         * Waits for these, in the order of the calls and after what the job itself depends on.
         *
         * @param onFailure what to do when one of them ends without success
         */
        public Step<O> after(ParentPolicy onFailure, Collection<? extends Step<?>> steps) {
            steps.forEach(step -> links.add(new Link(step, 0, onFailure)));
            return this;
        }

        /** Waits until these jobs, which are stored already, are {@code COMPLETED}; keeps waiting when one of them fails. */
        public Step<O> after(JobRef<?>... jobs) {
            return after(ParentPolicy.WAIT, jobs);
        }

        /** Waits for these jobs, which are stored already. */
        public Step<O> after(ParentPolicy onFailure, JobRef<?>... jobs) {
            for (JobRef<?> parent : jobs) {
                links.add(new Link(null, parent.id(), onFailure));
            }
            return this;
        }

        /** The workflow that it is a part of. */
        public Workflow workflow() {
            return flow;
        }

        /** Its place among the jobs of the workflow, from 0. */
        public int place() {
            return place;
        }

        /** The job as it was given, without what it waits for in the workflow. */
        public JobRequest<?, O> job() {
            return job;
        }

        private JobRequest<?, ?> linked() {
            if (links.isEmpty()) {
                return job;
            }
            List<Parent> parents = new ArrayList<>(job.parents());
            Set<Long> seen = new HashSet<>();
            parents.forEach(parent -> seen.add(parent.id()));
            for (Link link : links) {
                Step<?> step = link.step;
                if (step != null && step.flow != flow) {
                    throw new InvalidRequestException("%s waits for %s of another workflow".formatted(this, step));
                }
                if (step == null && link.id < 1) {
                    throw new InvalidRequestException(
                            "%s waits for job %d: ids of jobs begin at 1".formatted(this, link.id));
                }
                long id = step == null ? link.id : -1L - step.place;
                if (!seen.add(id)) {
                    throw new InvalidRequestException("%s waits twice for %s"
                            .formatted(this, step == null ? "the stored job " + id : step.toString()));
                }
                parents.add(new Parent(id, link.onFailure));
            }
            return job.withAllParents(parents);
        }

        /** For messages: {@code job 2 (page.read 'page 7')}. */
        @Override
        public String toString() {
            return "job %d (%s%s)".formatted(place, job.type(), job.name() == null ? "" : " '" + job.name() + "'");
        }
    }

    /**
     * Jobs of a workflow, and the one that runs when all of them have ended. Itself the latter's step: others that wait for the
     * batch wait for its callback. Not safe for use by many threads.
     *
     * @param <O> the type of the callback's result
     */
    public static final class Batch<O extends @Nullable Object> extends Step<O> {
        private final List<Step<?>> members;

        private Batch(Workflow flow, int place, JobRequest<?, O> callback, List<Step<?>> members) {
            super(flow, place, callback);
            this.members = List.copyOf(members);
            Step<O> unused = super.after(ParentPolicy.RUN, members);
        }

        /** The jobs of the batch, in the order in which they were given. */
        public List<Step<?>> members() {
            return members;
        }

        /** Makes all jobs of the batch wait for these; if there are none, the callback. */
        @Override
        public Batch<O> after(Step<?>... steps) {
            return after(ParentPolicy.WAIT, Arrays.asList(steps));
        }

        /** Makes all jobs of the batch wait for these; if there are none, the callback. */
        @Override
        public Batch<O> after(ParentPolicy onFailure, Step<?>... steps) {
            return after(onFailure, Arrays.asList(steps));
        }

        /** Makes all jobs of the batch wait for these; if there are none, the callback. */
        @Override
        public Batch<O> after(ParentPolicy onFailure, Collection<? extends Step<?>> steps) {
            if (members.isEmpty()) {
                Step<O> unused = super.after(onFailure, steps);
            }
            members.forEach(member -> member.after(onFailure, steps));
            return this;
        }

        /** Makes all jobs of the batch wait for these, which are stored already; if there are none, the callback. */
        @Override
        public Batch<O> after(JobRef<?>... jobs) {
            return after(ParentPolicy.WAIT, jobs);
        }

        /** Makes all jobs of the batch wait for these, which are stored already; if there are none, the callback. */
        @Override
        public Batch<O> after(ParentPolicy onFailure, JobRef<?>... jobs) {
            if (members.isEmpty()) {
                Step<O> unused = super.after(onFailure, jobs);
            }
            members.forEach(member -> member.after(onFailure, jobs));
            return this;
        }
    }
}
