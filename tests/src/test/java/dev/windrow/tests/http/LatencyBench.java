package dev.windrow.tests.http;

import dev.windrow.Enqueued;
import dev.windrow.JobType;
import dev.windrow.Worker;
import dev.windrow.payload.Json;
import dev.windrow.tests.bench.LargeStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import dev.windrow.testserver.PostgresServer;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Measures the HTTP API on a large store, beside a worker under load, and prints each latency beside its goal. The first call of each request loads
 * classes, so it is printed but not counted. The name of this class has no "Test", so a build runs it only by {@code -Dtest=LatencyBench}.
 */
class LatencyBench extends HttpTest {
    private static final int JOBS = Integer.getInteger("windrow.bench.jobs", 10_000_000);
    private static final int CALLS = Integer.getInteger("windrow.bench.calls", 200);
    private static final int NODES = 2000;
    private static final int CLIENTS = 20;
    /** Rounds of single enqueues without and with polling clients, in turn. */
    private static final int ROUNDS = 5;

    private static final Duration ROUND = Duration.ofSeconds(5);
    private static final JobType<Json, Json> LOAD = JobType.raw("load").withQueue("load");
    private static final JobType<Json, Json> PARKED = JobType.raw("parked").withQueue("parked");

    private final AtomicBoolean over = new AtomicBoolean();

    @Nullable private PostgresServer server;

    /** Starts a server that vacuums by its defaults. The common server of the tests does not, so that each read would pass all jobs that have ended. */
    @Override
    Target openTarget() {
        if (kind == StoreKind.SQLITE) {
            return super.openTarget();
        }
        server = PostgresServer.start("fsync=off", "full_page_writes=off");
        return Target.newSchema(server);
    }

    @Override
    void closeTarget() throws SQLException {
        super.closeTarget();
        if (server != null) {
            server.close();
        }
    }

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
            System.out.printf("%-44s %6s %8s %8s %8s %8s%n", "", "goal", "p50", "p99", "longest", "first");
            // The overview is computed once a second. So one of these calls computes it, and the next one does not.
            measure("overview", 60, 40, i -> get("overview"), TimeUnit.MILLISECONDS.toNanos(1010));
            measure("stats", 60, 20, i -> get("stats"));
            measure("throughput", 60, 20, i -> get("throughput"));
            measure("failures", 60, 20, i -> get("failures"));
            measure("list: state=FAILED", 50, CALLS, i -> get("jobs?state=FAILED"));
            measure("list: category of codes", 50, CALLS, i -> get("jobs?state=FAILED&errorCode=TEST:*"));
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
            over.set(true);
            producer.join();
            measureEnqueues();
        } finally {
            over.set(true);
            producer.join();
        }
    }

    /** Compares the enqueues of the host, about one in a millisecond, without and with clients that poll. */
    private void measureEnqueues() throws Exception {
        List<Long> without = new ArrayList<>();
        List<Long> with = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            without.addAll(enqueues());
            with.addAll(enqueuesBesideClients());
        }
        print("enqueue", "", without, "");
        print("enqueue beside " + CLIENTS + " polling clients", "", with, "");
        System.out.printf(
                Locale.ROOT,
                "%-44s %6s %8.2f %8.2f%n",
                "ratio",
                "1.10",
                (double) percentile(with, 0.5) / percentile(without, 0.5),
                (double) percentile(with, 0.99) / percentile(without, 0.99));
    }

    private List<Long> enqueues() {
        List<Long> micros = new ArrayList<>();
        long end = System.nanoTime() + ROUND.toNanos();
        for (long began = System.nanoTime(); began < end; began = System.nanoTime()) {
            Enqueued<Json> unused = windrow.enqueue(LOAD, new Json("1"));
            micros.add((System.nanoTime() - began) / 1000);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        return micros;
    }

    private List<Long> enqueuesBesideClients() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(threads.submit(() -> poll(ended)));
            }
            List<Long> micros = enqueues();
            ended.set(true);
            for (Future<?> client : clients) {
                client.get();
            }
            return micros;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Polls the overview like a page in a browser with its default setting: by its tag, two seconds after each answer. */
    private void poll(AtomicBoolean ended) {
        String tag = "\"none\"";
        while (!ended.get()) {
            Reply reply =
                    send(as("admin", "overview").header("If-None-Match", tag).GET());
            if (reply.status() != 304) {
                tag = reply.is(200).header("ETag");
            }
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
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
        for (int i = 0; i <= calls; i++) {
            long began = System.nanoTime();
            call.apply(i).is(200);
            micros.add((System.nanoTime() - began) / 1000);
            LockSupport.parkNanos(pause);
        }
        long first = micros.remove(0);
        print(name, Integer.toString(goal), micros, String.format(Locale.ROOT, "%.1f", first / 1000.0));
    }

    private static void print(String name, String goal, List<Long> micros, String first) {
        System.out.printf(
                Locale.ROOT,
                "%-44s %6s %8.1f %8.1f %8.1f %8s%n",
                name,
                goal,
                percentile(micros, 0.5) / 1000.0,
                percentile(micros, 0.99) / 1000.0,
                percentile(micros, 1) / 1000.0,
                first);
    }

    private static long percentile(List<Long> micros, double share) {
        List<Long> sorted = micros.stream().sorted().toList();
        return sorted.get((int) Math.ceil(sorted.size() * share) - 1);
    }
}
