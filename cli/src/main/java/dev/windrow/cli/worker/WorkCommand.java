package dev.windrow.cli.worker;

import dev.windrow.Durations;
import dev.windrow.EventLevel;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.cli.Candidates;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.Signals;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.demo.DemoHandlers;
import dev.windrow.cli.terminal.Values;
import dev.windrow.retention.DeadLetterRetry;
import dev.windrow.wire.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code work}: a worker process, which ends after a signal or, on request, when it is idle. */
@Command(
        name = "work",
        description = "Runs a worker, which takes jobs and runs their handlers.",
        footer = {
            "",
            "The worker handles exec jobs (with --allow-exec), the demo's jobs, and the types",
            "of the given jars. On SIGTERM, SIGINT (Ctrl-C) and SIGHUP it takes no more jobs",
            "and lets running jobs end within the drain timeout. Then it hands back the rest,",
            "which does not count as an attempt. A second signal hands back at once.",
            "",
            "Examples:",
            "  windrow work --handlers target/handlers.jar",
            "  windrow work --allow-exec --queue default --queue mail:2 --concurrency 8"
        })
public final class WorkCommand extends CliCommand {
    @Option(names = "--concurrency", paramLabel = "N", description = "Jobs at a time. 1 to 1000, default 10.")
    private @Nullable String concurrency;

    @Option(
            names = "--queue",
            paramLabel = "NAME[:LIMIT]",
            description = "A queue to serve. LIMIT: its jobs at a time, 1 to 1000. Repeatable, default 'default'.")
    private List<String> queues = new ArrayList<>();

    @Option(
            names = "--min-priority",
            paramLabel = "N",
            description = "The lowest priority of jobs to take. -32768 to 32767, default every priority.")
    private @Nullable String minPriority;

    @Option(
            names = "--lease",
            paramLabel = "DURATION",
            description =
                    "Lease: how long until another worker may take over a silent worker's jobs. 1s to 1h, default 30s.")
    private @Nullable String lease;

    @Option(
            names = "--poll",
            paramLabel = "DURATION",
            description = "How often to look for jobs without a notification. 10ms to 1m, default 30s.")
    private @Nullable String poll;

    @Option(
            names = "--drain-timeout",
            paramLabel = "DURATION",
            description = "How long running jobs may continue after a signal. 0s to 1d, default 30s.")
    private @Nullable String drainTimeout;

    @Option(
            names = "--name",
            paramLabel = "LABEL",
            description = "A label of the worker for 'workers', events and logs. 1 to 200 characters, default"
                    + " HOST-PID-N. Workers may share a label.")
    private @Nullable String label;

    @Option(
            names = "--events",
            paramLabel = "LEVEL",
            completionCandidates = Candidates.EventLevels.class,
            description = "Events to write: all, or outcomes: without HEARTBEAT. Default all.")
    private @Nullable String events;

    @Option(
            names = "--until-idle",
            description =
                    "End when no job that this worker handles is ready, running or scheduled for a retry in its queues.")
    private boolean untilIdle;

    @Option(
            names = "--allow-exec",
            description =
                    "Run the commands of exec jobs, as this user, in this folder. Without it they are not claimed.")
    private boolean allowExec;

    @Option(
            names = "--handlers",
            paramLabel = "JAR",
            description =
                    "A jar with a dev.windrow.HandlerProvider, the service that registers Java handlers. Repeatable.")
    private List<String> jars = new ArrayList<>();

    @Option(
            names = "--auto-retry",
            paramLabel = "CODE",
            description =
                    "Retry FAILED jobs with this error code, or any code of a category: 'DEPENDENCY:*'. Repeatable.")
    private List<String> autoRetry = new ArrayList<>();

    @Option(
            names = "--auto-retry-after",
            paramLabel = "DURATION",
            description = "With --auto-retry: time after each failure. 1s to 3650d, default 15m.")
    private @Nullable String autoRetryAfter;

    @Option(
            names = "--auto-retry-until",
            paramLabel = "DURATION",
            description =
                    "With --auto-retry: no retry later than this after the enqueue. --auto-retry-after to 3650d, default 1d.")
    private @Nullable String autoRetryUntil;

    private final CompletableFuture<Void> stop = new CompletableFuture<>();
    private final CompletableFuture<Void> stopAtOnce = new CompletableFuture<>();

    public WorkCommand(Main main) {
        super(main);
    }

    @Override
    public void run() throws Exception {
        // Wrong arguments are found before a file is created.
        List<Consumer<Worker.Builder>> settings = settings();
        Duration drain = drainTimeout == null
                ? Duration.ofSeconds(30)
                : Values.duration("--drain-timeout", drainTimeout, "0s", "1d");
        DeadLetterRetry deadLetterRetry = deadLetterRetry();
        EventLevel level = eventLevel(events);
        Signals signals = Signals.listen(console(), () -> drain(drain), this::handBack);
        Worker.Totals totals;
        try (HandlerJars handlers = HandlerJars.open(console().folder(), jars);
                ExecHandler exec = new ExecHandler(console());
                Windrow windrow = openOrMake(target -> target.openOrCreate(new WorkLog(), level, deadLetterRetry))) {
            Worker.Builder builder = windrow.worker();
            settings.forEach(each -> each.accept(builder));
            if (allowExec) {
                builder.handle(ExecHandler.TYPE, exec);
            }
            DemoHandlers.register(builder, windrow, target());
            handlers.register(builder);
            totals = work(windrow, builder, drain);
        } finally {
            signals.ended();
        }
        print(totals);
    }

    private void drain(Duration drain) {
        err().println("windrow: stopping: running jobs have %s to end; a second signal hands them back at once"
                .formatted(Durations.text(drain)));
        stop.complete(null);
    }

    private void handBack() {
        err().println("windrow: handing back the running jobs");
        stopAtOnce.complete(null);
    }

    private @Nullable DeadLetterRetry deadLetterRetry() {
        if (autoRetry.isEmpty()) {
            if (autoRetryAfter != null || autoRetryUntil != null) {
                throw new UsageException("%s needs --auto-retry"
                        .formatted(autoRetryAfter != null ? "--auto-retry-after" : "--auto-retry-until"));
            }
            return null;
        }
        Duration after = autoRetryAfter == null
                ? Duration.ofMinutes(15)
                : Values.duration("--auto-retry-after", autoRetryAfter, "1s", "3650d");
        Duration until = autoRetryUntil == null
                ? Duration.ofDays(1)
                : Values.duration("--auto-retry-until", autoRetryUntil, "1s", "3650d");
        Set<String> codes = new HashSet<>();
        autoRetry.forEach(code -> codes.add(Values.errorCodes("--auto-retry", code)));
        return Values.named("--auto-retry", () -> new DeadLetterRetry(codes, after, until));
    }

    private List<Consumer<Worker.Builder>> settings() {
        List<Consumer<Worker.Builder>> settings = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (String queue : queues) {
            settings.add(queue(queue, names));
        }
        if (label != null) {
            String name = Values.whole("--name", label);
            if (name.isBlank() || name.length() > 200 || name.chars().anyMatch(Character::isISOControl)) {
                throw Values.notAllowed("--name", label, "1 to 200 characters, no control characters");
            }
            settings.add(builder -> builder.name(name));
        }
        if (concurrency != null) {
            int slots = Values.integer("--concurrency", concurrency, 1, 1000);
            settings.add(builder -> builder.concurrency(slots));
        }
        if (minPriority != null) {
            int lowest = Values.integer("--min-priority", minPriority, Short.MIN_VALUE, Short.MAX_VALUE);
            settings.add(builder -> builder.minPriority(lowest));
        }
        if (lease != null) {
            Duration length = Values.duration("--lease", lease, "1s", "1h");
            settings.add(builder -> builder.lease(length));
        }
        if (poll != null) {
            Duration interval = Values.duration("--poll", poll, "10ms", "1m");
            settings.add(builder -> builder.poll(interval));
        }
        return settings;
    }

    private static Consumer<Worker.Builder> queue(String text, Set<String> names) {
        int colon = text.lastIndexOf(':');
        String name = Values.queue("--queue", colon < 0 ? text : text.substring(0, colon));
        if (!names.add(name)) {
            throw new UsageException("--queue: '%s' is named twice".formatted(name));
        }
        if (colon < 0) {
            return builder -> builder.queue(name);
        }
        int limit = Values.integer("--queue " + name, text.substring(colon + 1), 1, 1000);
        return builder -> builder.queue(name, limit);
    }

    private Worker.Totals work(Windrow windrow, Worker.Builder builder, Duration drain) throws Exception {
        try (Worker worker = builder.start()) {
            // On the thread of the second signal, or here if that signal came before.
            var unused = stopAtOnce.thenRun(worker::stopNow);
            new LeftJobs(windrow, worker).lines(stop).forEach(line -> err().println("windrow: " + line));
            if (untilIdle) {
                watch(worker);
            } else if (!json()) {
                err().println("worker " + worker.name() + " is running; Ctrl-C stops it");
            }
            stop.get();
            worker.stop(drain);
            return worker.totals();
        }
    }

    private void watch(Worker worker) {
        Thread watcher = new Thread(
                () -> {
                    try {
                        worker.awaitIdle();
                        stop.complete(null);
                    } catch (InterruptedException | RuntimeException e) {
                        stop.completeExceptionally(e);
                    }
                },
                "windrow-until-idle");
        watcher.setDaemon(true);
        watcher.start();
    }

    private void print(Worker.Totals totals) {
        if (json()) {
            out().println(new JsonObject()
                    .put("completed", totals.completed())
                    .put("failed", totals.failed())
                    .put("cancelled", totals.cancelled())
                    .put("retried", totals.retried())
                    .put("snoozed", totals.snoozed())
                    .put("parked", totals.parked())
                    .put("handedBack", totals.handedBack()));
        } else {
            out().println(
                            "completed %,d, failed %,d, cancelled %,d, retried %,d, snoozed %,d, parked %,d, handed back %,d"
                                    .formatted(
                                            totals.completed(),
                                            totals.failed(),
                                            totals.cancelled(),
                                            totals.retried(),
                                            totals.snoozed(),
                                            totals.parked(),
                                            totals.handedBack()));
        }
    }
}
