package dev.windrow.workflow;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobContext;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.validation.Bounds;
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
 * Workflow.Node<Scan> scan = flow.add(SCAN, "scan.pdf");
 * Workflow.Node<Text> text = flow.add(READ, "scan.pdf").after(scan);
 * SubmittedWorkflow submitted = windrow.submit(flow);
 * JobRef<Text> job = submitted.job(text);
 * }</pre>
 *
 * <p>What is wrong with the whole, such as jobs that wait for each other in a cycle, is told when it is submitted.
 */
public final class Workflow {
    private final List<Node<?>> nodes = new ArrayList<>();

    /** A workflow without jobs. */
    public Workflow() {}

    /** Adds a job; what it {@linkplain JobRequest#withParents(JobRef...) depends on} are jobs that are stored already. */
    public <O extends @Nullable Object> Node<O> add(JobRequest<?, O> job) {
        Node<O> node = new Node<>(this, nodes.size(), job);
        nodes.add(node);
        return node;
    }

    /** Adds a job of a type without input. */
    public <O extends @Nullable Object> Node<O> add(JobType<@Nullable Void, O> type) {
        return add(type.job());
    }

    /** Adds a job with its type's defaults. */
    public <I extends @Nullable Object, O extends @Nullable Object> Node<O> add(JobType<I, O> type, @Nullable I input) {
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
        List<Node<?>> members = new ArrayList<>(jobs.size());
        for (JobRequest<?, ?> job : jobs) {
            members.add(add(job));
        }
        Batch<O> batch = new Batch<>(this, nodes.size(), callback, members);
        nodes.add(batch);
        return batch;
    }

    /** The nodes so far, in the order in which they were added. */
    public List<Node<?>> nodes() {
        return List.copyOf(nodes);
    }

    /**
     * A job of a workflow: a handle for what others are to wait for, and for what came of it. Not safe for use by many threads.
     *
     * @param <O> the type of the job's result
     */
    @SuppressWarnings("UnusedTypeParameter") // Carries the result's type to the reference.
    public static class Node<O extends @Nullable Object> {
        private record Link(@Nullable Node<?> node, long id, ParentPolicy onFailure) {}

        private final Workflow flow;
        private final int place;
        private final JobRequest<?, O> job;
        private final List<Link> links = new ArrayList<>();

        private Node(Workflow flow, int place, JobRequest<?, O> job) {
            this.flow = flow;
            this.place = place;
            this.job = job;
        }

        /** Waits until these are {@code COMPLETED}; keeps waiting when one of them fails. */
        public Node<O> after(Node<?>... nodes) {
            return after(ParentPolicy.WAIT, Arrays.asList(nodes));
        }

        /** Waits until these are {@code COMPLETED}; keeps waiting when one of them fails. */
        public Node<O> after(Collection<? extends Node<?>> nodes) {
            return after(ParentPolicy.WAIT, nodes);
        }

        /** Waits for these. */
        public Node<O> after(ParentPolicy onFailure, Node<?>... nodes) {
            return after(onFailure, Arrays.asList(nodes));
        }

        /**
         * Waits for these, in the order of the calls and after what the job itself depends on.
         *
         * @param onFailure what to do when one of them ends without success
         */
        public Node<O> after(ParentPolicy onFailure, Collection<? extends Node<?>> nodes) {
            nodes.forEach(node -> links.add(new Link(node, 0, onFailure)));
            return this;
        }

        /** Waits until these jobs, which are stored already, are {@code COMPLETED}; keeps waiting when one of them fails. */
        public Node<O> after(JobRef<?>... jobs) {
            return after(ParentPolicy.WAIT, jobs);
        }

        /** Waits for these jobs, which are stored already. */
        public Node<O> after(ParentPolicy onFailure, JobRef<?>... jobs) {
            for (JobRef<?> parent : jobs) {
                links.add(new Link(null, parent.id(), onFailure));
            }
            return this;
        }

        /** The workflow that it is a part of. */
        Workflow workflow() {
            return flow;
        }

        /** Its place among the jobs of the workflow, from 0. */
        int place() {
            return place;
        }

        /** The job as it was given, without what it waits for in the workflow. */
        public JobRequest<?, O> job() {
            return job;
        }

        /**
         * Returns the jobs that this job waits for, in declared order: first those of the job itself. A node of the workflow has
         * {@code -1 - place} for its id.
         *
         * @throws InvalidRequestException if the job waits for a node of another workflow, or twice for the same job, or for too many
         */
        public List<Parent> parents() {
            if (links.isEmpty()) {
                return job.parents();
            }
            List<Parent> parents = new ArrayList<>(job.parents());
            Set<Long> seen = new HashSet<>();
            parents.forEach(parent -> seen.add(parent.id()));
            for (Link link : links) {
                Node<?> node = link.node;
                if (node != null && node.flow != flow) {
                    throw new InvalidRequestException("%s waits for %s of another workflow".formatted(this, node));
                }
                if (node == null && link.id < 1) {
                    throw new InvalidRequestException(
                            "%s waits for job %d: ids of jobs begin at 1".formatted(this, link.id));
                }
                long id = node == null ? link.id : -1L - node.place;
                if (!seen.add(id)) {
                    throw new InvalidRequestException("%s waits twice for %s"
                            .formatted(this, node == null ? "the stored job " + id : node.toString()));
                }
                parents.add(new Parent(id, link.onFailure));
            }
            Bounds.range("number of parents", parents.size(), 0, Bounds.MAX_PARENTS);
            return List.copyOf(parents);
        }

        /** For messages: {@code job 2 (page.read 'page 7')}. */
        @Override
        public String toString() {
            return "job %d (%s%s)".formatted(place, job.type(), job.name() == null ? "" : " '" + job.name() + "'");
        }
    }

    /**
     * Jobs of a workflow, and the one that runs when all of them have ended. Itself the latter's node: others that wait for the
     * batch wait for its callback. Not safe for use by many threads.
     *
     * @param <O> the type of the callback's result
     */
    public static final class Batch<O extends @Nullable Object> extends Node<O> {
        private final List<Node<?>> members;

        private Batch(Workflow flow, int place, JobRequest<?, O> callback, List<Node<?>> members) {
            super(flow, place, callback);
            this.members = List.copyOf(members);
            Node<O> unused = super.after(ParentPolicy.RUN, members);
        }

        /** The jobs of the batch, in the order in which they were given. */
        public List<Node<?>> members() {
            return members;
        }

        /** Makes all jobs of the batch wait for these; if there are none, the callback. */
        @Override
        public Batch<O> after(Node<?>... nodes) {
            return after(ParentPolicy.WAIT, Arrays.asList(nodes));
        }

        /** Makes all jobs of the batch wait for these; if there are none, the callback. */
        @Override
        public Batch<O> after(Collection<? extends Node<?>> nodes) {
            return after(ParentPolicy.WAIT, nodes);
        }

        /** Makes all jobs of the batch wait for these; if there are none, the callback. */
        @Override
        public Batch<O> after(ParentPolicy onFailure, Node<?>... nodes) {
            return after(onFailure, Arrays.asList(nodes));
        }

        /** Makes all jobs of the batch wait for these; if there are none, the callback. */
        @Override
        public Batch<O> after(ParentPolicy onFailure, Collection<? extends Node<?>> nodes) {
            if (members.isEmpty()) {
                Node<O> unused = super.after(onFailure, nodes);
            }
            members.forEach(member -> member.after(onFailure, nodes));
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
                Node<O> unused = super.after(onFailure, jobs);
            }
            members.forEach(member -> member.after(onFailure, jobs));
            return this;
        }
    }
}
