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
 * A draft of jobs that are enqueued together, some of which wait for others. It is in memory until {@link Jobs#submit} writes all of its jobs or
 * none. A draft that is submitted twice makes two workflows. Not safe for use by many threads.
 *
 * <p>Jobs are added in any order, and may wait for jobs that are added before or after them:
 *
 * <pre>{@code
 * Workflow flow = new Workflow();
 * Workflow.Node<Scan> scan = flow.add(SCAN, "scan.pdf");
 * Workflow.Node<Text> text = flow.add(READ, "scan.pdf").after(scan);
 * SubmittedWorkflow submitted = windrow.submit(flow);
 * JobRef<Text> job = submitted.job(text);
 * }</pre>
 *
 * <p>Errors of the whole, such as jobs that wait for each other in a cycle, are reported by {@link Jobs#submit}.
 */
public final class Workflow {
    private final List<Node<?>> nodes = new ArrayList<>();

    /** Creates a workflow without jobs. */
    public Workflow() {}

    /** Adds a job. Its {@linkplain JobRequest#withParents(JobRef...) own dependencies} are stored jobs. */
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
     * Adds a batch: jobs, and a callback that runs when all of them have ended, with or without success. The callback reads their outcomes with
     * {@link JobContext#parents}. Without jobs the callback runs at once.
     *
     * @param jobs at most 50 000
     * @param callback the job that runs at the end. Its {@linkplain JobRequest#withParents(JobRef...) own dependencies} come before the jobs of the
     *     batch in declared order
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

    /** Returns the nodes so far, in the order in which they were added. */
    public List<Node<?>> nodes() {
        return List.copyOf(nodes);
    }

    /**
     * The handle of a job of a workflow. Other nodes wait for it, and {@link SubmittedWorkflow#job} returns its stored job. Not safe for use by many
     * threads.
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

        /** Makes the job wait until these nodes are {@code COMPLETED}. It also waits when one of them fails, until a retry of that one succeeds. */
        public Node<O> after(Node<?>... nodes) {
            return after(ParentPolicy.WAIT, Arrays.asList(nodes));
        }

        /** Makes the job wait until these nodes are {@code COMPLETED}. It also waits when one of them fails, until a retry of that one succeeds. */
        public Node<O> after(Collection<? extends Node<?>> nodes) {
            return after(ParentPolicy.WAIT, nodes);
        }

        /** Makes the job wait for these nodes, with a policy; see {@link #after(ParentPolicy, Collection)}. */
        public Node<O> after(ParentPolicy onFailure, Node<?>... nodes) {
            return after(onFailure, Arrays.asList(nodes));
        }

        /**
         * Makes the job wait for these nodes. In declared order they follow the job's own dependencies and the nodes of earlier calls.
         *
         * @param onFailure the policy for the case that one of them ends without success
         */
        public Node<O> after(ParentPolicy onFailure, Collection<? extends Node<?>> nodes) {
            nodes.forEach(node -> links.add(new Link(node, 0, onFailure)));
            return this;
        }

        /**
         * Makes the job wait until these stored jobs are {@code COMPLETED}. It also waits when one of them fails, until a retry of that one succeeds.
         */
        public Node<O> after(JobRef<?>... jobs) {
            return after(ParentPolicy.WAIT, jobs);
        }

        /**
         * Makes the job wait for these stored jobs.
         *
         * @param onFailure the policy for the case that one of them ends without success
         */
        public Node<O> after(ParentPolicy onFailure, JobRef<?>... jobs) {
            for (JobRef<?> parent : jobs) {
                links.add(new Link(null, parent.id(), onFailure));
            }
            return this;
        }

        /** Returns the workflow of the node. */
        Workflow workflow() {
            return flow;
        }

        /** Returns the position of the node in the workflow, from 0. */
        int place() {
            return place;
        }

        /** Returns the job as it was added, without the dependencies from the workflow. */
        public JobRequest<?, O> job() {
            return job;
        }

        /**
         * Returns the jobs for which this job waits, in declared order: first the job's own dependencies. The id of a node of the workflow is
         * {@code -1 - place}.
         *
         * @throws InvalidRequestException if the job waits for a node of another workflow, waits twice for one job, or has more than 50 000 parents
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

        /** Returns a text for messages: {@code job 2 (page.read 'page 7')}. */
        @Override
        public String toString() {
            return "job %d (%s%s)".formatted(place, job.type(), job.name() == null ? "" : " '" + job.name() + "'");
        }
    }

    /**
     * The jobs of a batch, and the callback that runs when all of them have ended. It is the node of the callback: nodes that wait for the batch wait
     * for its callback. Not safe for use by many threads.
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

        /** Returns the jobs of the batch, in the order in which they were given. */
        public List<Node<?>> members() {
            return members;
        }

        /** Makes all jobs of the batch wait for these nodes. In a batch without jobs, the callback waits. */
        @Override
        public Batch<O> after(Node<?>... nodes) {
            return after(ParentPolicy.WAIT, Arrays.asList(nodes));
        }

        /** Makes all jobs of the batch wait for these nodes. In a batch without jobs, the callback waits. */
        @Override
        public Batch<O> after(Collection<? extends Node<?>> nodes) {
            return after(ParentPolicy.WAIT, nodes);
        }

        /** Makes all jobs of the batch wait for these nodes. In a batch without jobs, the callback waits. */
        @Override
        public Batch<O> after(ParentPolicy onFailure, Node<?>... nodes) {
            return after(onFailure, Arrays.asList(nodes));
        }

        /** Makes all jobs of the batch wait for these nodes. In a batch without jobs, the callback waits. */
        @Override
        public Batch<O> after(ParentPolicy onFailure, Collection<? extends Node<?>> nodes) {
            if (members.isEmpty()) {
                Node<O> unused = super.after(onFailure, nodes);
            }
            members.forEach(member -> member.after(onFailure, nodes));
            return this;
        }

        /** Makes all jobs of the batch wait for these stored jobs. In a batch without jobs, the callback waits. */
        @Override
        public Batch<O> after(JobRef<?>... jobs) {
            return after(ParentPolicy.WAIT, jobs);
        }

        /** Makes all jobs of the batch wait for these stored jobs. In a batch without jobs, the callback waits. */
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
