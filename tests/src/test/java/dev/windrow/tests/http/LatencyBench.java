package dev.windrow.tests.http;

import dev.windrow.Enqueued;
import dev.windrow.JobType;
import dev.windrow.Worker;
import dev.windrow.payload.Json;
import dev.windrow.tests.bench.LargeStore;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Measures the HTTP API on a large store, beside a worker under load, and prints each latency beside its goal. The name of this class has no "Test",
 * so a build runs it only by {@code -Dtest=LatencyBench}.
 */
class LatencyBench extends HttpTest {
    private static final int JOBS = Integer.getInteger("windrow.bench.jobs", 10_000_000);
    private static final int CALLS = Integer.getInteger("windrow.bench.calls", 200);
    private static final int NODES = 2000;
    private static final JobType<Json, Json> LOAD = JobType.raw("load").withQueue("load");
    private static final JobType<Json, Json> PARKED = JobType.raw("parked").withQueue("parked");

    private final AtomicBoolean over = new AtomicBoolean();

    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void requestsOnALargeStore() throws Exception {
        LargeStore.fill(target, JOBS);
        long workflow = submitWorkflow();
        // Each call of the change takes the next thousand.
        for (int i = 0; i < 40; i++) {
            List<Enqueued<Json>> unused = windrow.enqueueAll(PARKED, Collections.nCopies(1000, new Json("1")));
        }
        Thread producer = new Thread(this::produce, "producer");
        try (Worker worker = startWorker()) {
            producer.start();
            System.out.printf(Locale.ROOT, "%s, %,d jobs, milliseconds%n", kind, JOBS);
            System.out.printf("%-44s %6s %8s %8s %8s%n", "", "goal", "p50", "p99", "longest");
            // The overview is computed once a second. So one of these calls computes it, and the next one does not.
            measure("overview", 60, 40, i -> get("overview"), TimeUnit.MILLISECONDS.toNanos(1010));
            measure("stats", 60, 20, i -> get("stats"));
            measure("throughput", 60, 20, i -> get("throughput"));
            measure("list: state=FAILED", 50, CALLS, i -> get("jobs?state=FAILED"));
            measure("list: type, second page", 50, CALLS, i -> get("jobs?type=type3&after=" + (JOBS - 1000)));
            measure("list: tag", 50, CALLS, i -> get("jobs?tag=customer-" + i));
            measure("list: state=PENDING", 150, CALLS, i -> get("jobs?state=PENDING&queue=queue1"));
            measure("list: state=SCHEDULED", 150, CALLS, i -> get("jobs?state=SCHEDULED&type=type3"));
            measure("list: name, no match (a part of the list)", 500, 40, i -> get("jobs?name=none"));
            measure("job", 25, CALLS, i -> get("jobs/" + (1 + i * 1000L)));
            measure("explain", 25, CALLS, i -> get("jobs/" + (8 + i * 1000L) + "/explain"));
            measure("graph of " + NODES, 150, 40, i -> get("workflows/" + workflow + "/graph"));
            measure("suggest", 30, CALLS, i -> get("suggest?field=tag&prefix=customer-" + i % 10));
            measure("audit", 30, CALLS, i -> get("audit"));
            measure("bulk part of 1000", 300, 20, i -> change());
            measure("payload search of 10,000", 2000, 20, i -> get("jobs?type=type3&payload=$.customer.id=0"));
        } finally {
            over.set(true);
            producer.join();
        }
    }

    private Reply get(String path) {
        return get("admin", path);
    }

    private Reply change() {
        return post(
                "admin",
                "jobs/change",
                "{\"action\":\"cancel\",\"filter\":{\"queue\":\"parked\",\"state\":[\"PENDING\"]}}");
    }

    private long submitWorkflow() {
        Workflow flow = new Workflow();
        Workflow.Node<Json> last = null;
        for (int i = 0; i < NODES; i++) {
            Workflow.Node<Json> node = flow.add(PARKED.job(new Json("1")).withName("node" + i));
            if (last != null && i % 10 != 0) {
                node.after(last);
            }
            last = node;
        }
        SubmittedWorkflow submitted = windrow.submit(flow);
        return submitted.id();
    }

    private Worker startWorker() {
        return windrow.worker()
                .queue("load")
                .handle(LOAD, (input, context) -> input)
                .start();
    }

    private void produce() {
        while (!over.get()) {
            List<Enqueued<Json>> unused = windrow.enqueueAll(LOAD, Collections.nCopies(20, new Json("1")));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static void measure(String name, int goal, int calls, IntFunction<Reply> call) {
        measure(name, goal, calls, call, 0);
    }

    private static void measure(String name, int goal, int calls, IntFunction<Reply> call, long pause) {
        List<Long> micros = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            long began = System.nanoTime();
            call.apply(i).is(200);
            micros.add((System.nanoTime() - began) / 1000);
            LockSupport.parkNanos(pause);
        }
        Collections.sort(micros);
        System.out.printf(
                Locale.ROOT,
                "%-44s %6d %8.1f %8.1f %8.1f%n",
                name,
                goal,
                micros.get(calls / 2) / 1000.0,
                micros.get((int) Math.ceil(calls * 0.99) - 1) / 1000.0,
                micros.get(calls - 1) / 1000.0);
    }
}
