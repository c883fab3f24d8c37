package dev.windrow.tests.engine.transfer;

import static org.awaitility.Awaitility.await;

import dev.windrow.ChainRef;
import dev.windrow.Dedupe;
import dev.windrow.EventLevel;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.RetryPolicy;
import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Rate;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Schedule;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.WorkerId;
import dev.windrow.tests.stores.Target;
import dev.windrow.workflow.ParentPolicy;
import dev.windrow.workflow.Workflow;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

/** A queue with jobs in every state and with rows in every table. No worker runs on it after it is filled. */
final class RichQueue {
    static final JobType<Json, Json> ECHO = JobType.raw("copy.echo");
    static final JobType<Json, Json> FAILS = JobType.raw("copy.fails");
    static final JobType<Json, Json> PARKS = JobType.raw("copy.parks");
    static final JobType<Json, Json> STEPS = JobType.raw("copy.steps");
    static final JobType<Json, Json> CHAIN = JobType.raw("copy.chain");
    static final JobType<Json, Json> LATE = JobType.raw("copy.late");
    static final JobType<Json, Json> KILLED = JobType.raw("copy.killed");
    static final JobType<Json, Json> PAUSED = JobType.raw("copy.paused");

    static final Json INPUT =
            new Json("{\"a\":1,\"text\":\"\\u00e4\\ud83d\\ude00 \\\\ \\t\\n \\u0000 'quoted' \\\"x\\\"\"}");
    static final String WORDS = "\\N and \\. and Gr\u00fc\u00dfe, \u65e5\u672c\u8a9e, \uD83D\uDE00, \uFFFD end";
    static final String ODD = "tab\there, \\N and \\. and Grüße, 日本語, \uD83D\uDE00, \uFFFD end";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final JobRef<Json> completed;
    final JobRef<Json> failed;
    final JobRef<Json> parked;
    final JobRef<Json> outside;
    final JobRef<Json> blocked;
    final JobRef<Json> pending;
    final JobRef<Json> killed;
    final JobRef<Json> sequenced;

    private RichQueue(
            JobRef<Json> completed,
            JobRef<Json> failed,
            JobRef<Json> parked,
            JobRef<Json> outside,
            JobRef<Json> blocked,
            JobRef<Json> pending,
            JobRef<Json> killed,
            JobRef<Json> sequenced) {
        this.completed = completed;
        this.failed = failed;
        this.parked = parked;
        this.outside = outside;
        this.blocked = blocked;
        this.pending = pending;
        this.killed = killed;
        this.sequenced = sequenced;
    }

    /** Returns a worker for all jobs except the late and the paused ones. */
    static Worker.Builder worker(Windrow windrow) {
        return windrow.worker()
                .queue("default")
                .queue("other")
                .concurrency(4)
                .handle(ECHO, (input, job) -> input)
                .handle(KILLED, (input, job) -> input)
                .handle(CHAIN, (input, job) -> {
                    if (job.attempt() == 1 && !input.text().contains("last")) {
                        job.continueWith(CHAIN.job(new Json("{\"n\":\"last\"}")));
                    }
                    return input;
                })
                .handle(FAILS, (input, job) -> {
                    job.log(LogLevel.WARN, ODD);
                    throw new IllegalStateException("it fails: " + ODD);
                })
                .handle(STEPS, (input, job) -> {
                    job.progress(0.1 + 0.2, ODD);
                    job.log(LogLevel.INFO, "begins");
                    Json first = job.step(
                            "first " + WORDS, Json.class, () -> new Json("{\"big\":\"" + "x".repeat(70_000) + "\"}"));
                    job.sleep("a moment", Duration.ofMillis(1));
                    return first;
                })
                .handle(PARKS, (input, job) -> {
                    job.step("before", String.class, () -> "done");
                    Optional<String> told = job.awaitEvent("paid", String.class, Duration.ofDays(7));
                    return new Json("\"" + told.orElse("never") + "\"");
                });
    }

    /**
     * Copies a queue into empty tables, by means of the database. The source queue is filled once for all tests of this JVM, because that takes two
     * seconds.
     */
    static RichQueue copy(Target target) throws Exception {
        synchronized (FILLED) {
            Filled filled = FILLED.get(target.isFile());
            if (filled == null) {
                Target made = target.isFile()
                        ? Target.file(Files.createTempDirectory("windrow-rich-").resolve("jobs.db"))
                        : Target.lend();
                filled = new Filled(made, fill(made), made.isFile() ? Files.readAllBytes(made.file()) : new byte[0]);
                if (made.isFile()) {
                    Files.delete(made.file());
                    Files.delete(made.file().getParent());
                }
                FILLED.put(target.isFile(), filled);
            }
            if (target.isFile()) {
                Files.write(target.file(), filled.bytes);
            } else {
                copySchema(filled.target, target);
            }
            return filled.queue;
        }
    }

    private static final class Filled {
        private final Target target;
        private final RichQueue queue;
        private final byte[] bytes;

        Filled(Target target, RichQueue queue, byte[] bytes) {
            this.target = target;
            this.queue = queue;
            this.bytes = bytes;
        }
    }

    /** The filled queues: true for the file, false for the server. */
    private static final Map<Boolean, Filled> FILLED = new HashMap<>();

    private static void copySchema(Target from, Target to) throws SQLException {
        List<String> tables = from.rows(
                "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'windrow_schema'");
        List<String> numbers = from.rows("SELECT format('%I'', %s)', sequencename, last_value) FROM pg_sequences"
                + " WHERE schemaname = current_schema() AND last_value IS NOT NULL");
        try (Connection connection = to.connect();
                Statement statement = connection.createStatement()) {
            for (String table : tables) {
                statement.execute("TRUNCATE " + table);
                statement.execute("INSERT INTO %s OVERRIDING SYSTEM VALUE SELECT * FROM %s.%s"
                        .formatted(table, from.schema(), table));
            }
            for (String number : numbers) {
                statement.execute("SELECT setval('" + number);
            }
        }
    }

    static RichQueue fill(Target target) {
        JobRef<Json> killed;
        RichQueue queue;
        try (Windrow windrow = Windrow.open(target.newStore())) {
            JobRef<Json> completed = windrow.enqueue(ECHO.job(INPUT)
                    .withName(WORDS)
                    .withTags("red", WORDS)
                    .withMetadata(Metadata.none().with("note", WORDS))
                    .withPriority(-7)
                    .withTimeout(Duration.ofMinutes(3))
                    .withRetry(RetryPolicy.fixed(Duration.ofSeconds(1)))
                    .withTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                    .withDedupe(Dedupe.key("for ever " + WORDS).forEver()));
            JobRef<Json> big = windrow.enqueue(ECHO.job(new Json("\"" + "long ".repeat(150_000) + "\"")));
            JobRef<Json> failed = windrow.enqueue(FAILS.job(INPUT).withMaxAttempts(1));
            JobRef<Json> retried = windrow.enqueue(
                    FAILS.job(INPUT).withMaxAttempts(2).withRetry(RetryPolicy.fixed(Duration.ofMillis(1))));
            windrow.enqueue(FAILS.job(INPUT).withMaxAttempts(3).withRetry(RetryPolicy.fixed(Duration.ofDays(1))));
            JobRef<Json> parked = windrow.enqueue(PARKS.job(INPUT));
            JobRef<Json> steps = windrow.enqueue(STEPS.job(INPUT));
            JobRef<Json> chain = windrow.enqueue(CHAIN.job(new Json("{}")).withDedupe(Dedupe.key("chain")));
            JobRef<Json> outside = windrow.enqueue(ECHO.job(INPUT).withExternalCompletion(Duration.ofDays(30)));
            JobRef<Json> blocked = windrow.enqueue(
                    ECHO.job(INPUT).withParents(parked).withChainParents(ParentPolicy.RUN, ChainRef.raw(chain.id())));
            JobRef<Json> cancelled = windrow.enqueue(ECHO.job(INPUT).withDelay(Duration.ofDays(1)));
            windrow.enqueue(ECHO.job(INPUT).withParents(ParentPolicy.CANCEL, List.of(cancelled)));
            windrow.job(cancelled).cancel();
            windrow.enqueue(ECHO.job(INPUT).withDelay(Duration.ofDays(2)).withDedupe(Dedupe.key("unfinished")));
            Workflow flow = new Workflow();
            Workflow.Node<Json> first = flow.add(ECHO, INPUT);
            Workflow.Batch<Json> batch =
                    flow.batch(List.<JobRequest<Json, Json>>of(ECHO.job(INPUT), LATE.job(INPUT)), ECHO.job(INPUT));
            batch.after(first);
            windrow.submit(flow);
            windrow.queue("paused").pause(WORDS);
            windrow.type(LATE).limit(3);
            windrow.key("tenant").limitRate(Rate.of(100, Duration.ofSeconds(1)));
            windrow.enqueue(PAUSED.withQueue("paused").job(INPUT));
            JobRef<Json> sequenced = null;
            for (int i = 0; i < 3; i++) {
                sequenced = windrow.enqueue(
                        LATE.job(INPUT).withConcurrencyKey(ConcurrencyKey.inSequence("one after the other")));
                windrow.enqueue(LATE.job(INPUT).withConcurrencyKey(ConcurrencyKey.atMost("tenant", 1)));
            }
            windrow.schedules()
                    .save(Schedule.cron(
                            "daily",
                            "0 4 * * *",
                            ZoneId.of("Europe/Berlin"),
                            ECHO.job(INPUT).withTags("x")));
            windrow.schedules().save(Schedule.every("now-and-then", Duration.ofDays(1), LATE.job(INPUT)));
            windrow.schedules().save(Schedule.every("often", Duration.ofSeconds(1), ECHO.job(INPUT)));
            windrow.schedules().run("daily");
            windrow.schedules().pause("daily", WORDS);
            try (var worker = worker(windrow).start()) {
                until(() -> ends(windrow, completed, big, failed, retried, steps, chain));
                until(() -> windrow.job(parked).history().job().state() == JobState.BLOCKED);
                until(() -> windrow.monitor().statistics().states().getOrDefault(JobState.RUNNING, 0L) == 0);
                // The sums of the current minute are written once a second.
                until(() ->
                        !target.rows("SELECT count(*) FROM windrow_throughput").equals(List.of("0")));
                until(() -> !windrow.schedules().runs("often", 1).isEmpty());
                windrow.schedules().pause("often");
                until(() -> windrow.monitor().statistics().states().getOrDefault(JobState.RUNNING, 0L) == 0);
                until(() -> worker.totals().completed() > 3);
            }
            JobRef<Json> gone = windrow.enqueue(FAILS.job(INPUT).withDelay(Duration.ofDays(9)));
            windrow.job(gone).cancel();
            windrow.job(gone).delete();
            windrow.jobs(JobFilter.inState(JobState.SCHEDULED)).preview().trigger();
            JobRef<Json> pending =
                    windrow.enqueue(ECHO.job(INPUT).withQueue("other").withTags("waits"));
            windrow.job(pending).signal("early", "told before");
            killed = windrow.enqueue(KILLED.job(INPUT));
            queue = new RichQueue(completed, failed, parked, outside, blocked, pending, killed, sequenced);
        }
        try (OpenStore store = StoreProvider.open(
                target.newStore(),
                new StoreEnvironment(TimeSource.system(), EventLevel.ALL, new StoreDriver.Hints()))) {
            until(() -> store.submit(new Claim(
                                    new WorkerId("killed", "1"), Set.of("default"), Set.of(KILLED.name()), 1, 1500))
                            .get()
                            .jobs()
                            .size()
                    == 1);
        }
        return queue;
    }

    private static boolean ends(Windrow windrow, JobRef<?>... jobs) {
        for (JobRef<?> job : jobs) {
            if (!windrow.job(job).history().job().state().isFinished()) {
                return false;
            }
        }
        return true;
    }

    static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(condition);
    }
}
