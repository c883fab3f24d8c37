package dev.windrow.tests.processes.workflow;

import dev.windrow.EventKind;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.stores.Target;
import dev.windrow.workflow.ParentOutcome;
import dev.windrow.workflow.ParentPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A worker in its own process for the nodes of random graphs. Arguments: the target and a folder. Nodes fail at random until the file {@code calm}
 * exists in the folder. They append violations to the file {@code wrong} there.
 */
final class GraphWorker {
    /** A node of a graph, with the policies for its parents, in declared order. */
    record Node(List<ParentPolicy> policies) {}

    static final JobType<Node, Void> NODE = JobType.of("test.node", Node.class, Void.class)
            .withMaxAttempts(2)
            .withRetry(RetryPolicy.fixed(Duration.ofMillis(5)));

    private static final Set<EventKind> ENDS = Set.of(EventKind.SUCCEEDED, EventKind.FAILED, EventKind.CANCELLED);

    private GraphWorker() {}

    public static void main(String[] args) throws Exception {
        try (Windrow windrow = Windrow.open(Target.of(args[0]).newStore());
                Worker worker = start(windrow, Path.of(args[1]))) {
            System.out.println("ready " + worker.name());
            int unused = System.in.read();
        }
    }

    static Worker start(Windrow windrow, Path folder) {
        return windrow.worker()
                .handle(NODE, (node, job) -> {
                    run(windrow, folder, node, job);
                    return null;
                })
                .concurrency(4)
                .lease(Duration.ofSeconds(3))
                .start();
    }

    private static void run(Windrow windrow, Path folder, Node node, JobContext job) throws IOException {
        List<ParentOutcome> parents = job.parents();
        for (int i = 0; i < parents.size(); i++) {
            if (!allows(windrow, parents.get(i), node.policies.get(i))) {
                Files.writeString(
                        folder.resolve("wrong"),
                        "job %d ran with %s (%s)%n".formatted(job.id(), parents.get(i), node.policies.get(i)),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
            }
        }
        if (!Files.exists(folder.resolve("calm"))) {
            int dice = ThreadLocalRandom.current().nextInt(100);
            if (dice < 12) {
                throw JobFailure.permanent("TEST:DICE", null);
            } else if (dice < 20) {
                throw JobFailure.retryable("TEST:DICE", null);
            }
        }
    }

    /** True if the state of the parent, or an earlier end of it, allows the child to run. */
    private static boolean allows(Windrow windrow, ParentOutcome parent, ParentPolicy policy) {
        return switch (parent.state()) {
            case COMPLETED -> true;
            case FAILED, CANCELLED -> policy == ParentPolicy.RUN;
            default ->
                policy == ParentPolicy.RUN
                        && windrow.job(parent.id()).history().events().stream()
                                .map(JobHistory.Event::event)
                                .anyMatch(ENDS::contains);
        };
    }
}
