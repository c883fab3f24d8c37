package dev.windrow.tests.crash;

import dev.windrow.JobContext;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobSnooze;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Worker;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.workflow.ParentPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The kinds of jobs in a storm, and their handlers, which write each start and end to a ledger. */
enum StormJobs {
    /** A job that works for a while. */
    PLAIN(39, JobState.COMPLETED),
    /** A job that takes seconds, so that it runs when its worker, or another one of its name, is killed or stopped. */
    SLOW(1, JobState.COMPLETED),
    /** A job that fails in its first attempts. */
    FLAKY(12, JobState.COMPLETED),
    /** A job that fails in both of its two attempts, and perhaps once more when it is retried. */
    DOOMED(5, JobState.FAILED),
    /** A job that waits beyond its timeout in the first attempt. */
    LATE(2, JobState.COMPLETED),
    /** A job that starts a process and waits for it. */
    PROCESS(2, JobState.COMPLETED),
    /** A job that depends on earlier jobs, with any outcome. */
    CHILD(14, JobState.COMPLETED),
    /** A job that is due after a while. */
    DELAYED(5, JobState.COMPLETED),
    /** A job that snoozes. */
    SNOOZED(4, JobState.COMPLETED),
    /** A job that runs alone among the jobs of its concurrency key. */
    KEYED(6, JobState.COMPLETED),
    /** A job of a type of which only {@value #LIMIT} may run at once, in tests with that limit. */
    LIMITED(5, JobState.COMPLETED),
    /** A job that continues with {@value #LINKS} more jobs. */
    CHAIN(3, JobState.COMPLETED),
    /** A job that is due much later. Its enqueuer cancels it before that, unless the enqueuer is killed. */
    FUTURE(2, JobState.CANCELLED, JobState.COMPLETED),
    /** A job with a dedupe key. Each has its own call. */
    DEDUPED(0, JobState.COMPLETED),
    /** A job that a schedule enqueues. */
    TICK(0, JobState.COMPLETED);

    static final int SLOTS = 4;
    static final int MAX_WORK_MICROS = 4000;
    static final int LIMIT = 2;
    static final int LINKS = 2;
    private static final int KEYS = 3;

    private final int weight;
    /** The end states that the job may have under every fate of its workers. */
    final Set<JobState> ends;

    StormJobs(int weight, JobState... ends) {
        this.weight = weight;
        this.ends = Set.of(ends);
    }

    /**
     * The work of a handler.
     *
     * @param micros the duration of the work, in microseconds of spinning
     * @param group the group of jobs with a common limit, or empty
     * @param chain the name of the first job of its chain
     * @param links how many jobs follow this one in its chain
     */
    record Work(int micros, String group, String chain, int links) {}

    JobType<Work, String> type() {
        JobType<Work, String> type = JobType.of("storm." + name().toLowerCase(Locale.ROOT), Work.class, String.class)
                .withMaxAttempts(this == DOOMED ? 2 : 1000)
                .withRetry(RetryPolicy.fixed(Duration.ofMillis(10)));
        return this == LATE ? type.withTimeout(Duration.ofMillis(30)) : type;
    }

    /** Returns one of the kinds that many calls enqueue together. */
    static StormJobs any(SplittableRandom random) {
        int n = random.nextInt(100);
        for (StormJobs kind : values()) {
            n -= kind.weight;
            if (n < 0) {
                return kind;
            }
        }
        throw new IllegalStateException("the weights are not 100 in sum");
    }

    JobRequest<Work, String> job(SplittableRandom random, String name) {
        String group = switch (this) {
            case KEYED, DEDUPED -> name().toLowerCase(Locale.ROOT) + random.nextInt(KEYS);
            case LIMITED -> name().toLowerCase(Locale.ROOT);
            default -> "";
        };
        JobRequest<Work, String> job = type().job(
                        new Work(random.nextInt(MAX_WORK_MICROS), group, name, this == CHAIN ? LINKS : 0))
                .withName(name)
                .withPriority(random.nextInt(3));
        return switch (this) {
            case KEYED ->
                job.withConcurrencyKey(
                        group.endsWith("0") ? ConcurrencyKey.inSequence(group) : ConcurrencyKey.atMost(group, 1));
            case DEDUPED -> job.withDedupeKey(group);
            case DELAYED -> job.withDelay(Duration.ofMillis(random.nextInt(1500)));
            case FUTURE -> job.withDelay(Duration.ofDays(1));
            default -> job;
        };
    }

    JobRequest<Work, String> after(SplittableRandom random, String name, List<JobRef<?>> parents) {
        return job(random, name).withParents(ParentPolicy.RUN, parents);
    }

    /** Returns the job that a schedule enqueues at each due time. */
    JobRequest<Work, String> each() {
        return type().job(new Work(0, "", "", 0));
    }

    /** Returns the number of jobs of a group that may run at once. */
    static int limit(String group) {
        return group.equals(LIMITED.name().toLowerCase(Locale.ROOT)) ? LIMIT : 1;
    }

    /** Returns the names of the jobs that follow the job with this name. */
    List<String> owed(String name) {
        return this == CHAIN
                ? IntStream.range(0, LINKS)
                        .mapToObj(left -> link(name, left) + "-0")
                        .toList()
                : List.of();
    }

    /** Returns the call that enqueues the job of a chain before this many others. The job is the call's first. */
    static String link(String first, int links) {
        return first + "/" + links;
    }

    static Worker.Builder handlers(Worker.Builder builder, String worker, String process, Ledger ledger) {
        for (StormJobs kind : values()) {
            builder.handle(kind.type(), (work, job) -> {
                ledger.write("start", job.id(), job.attempt(), worker, process, work.group());
                String ended = "thrown";
                try {
                    String done = kind.run(work, job, process, ledger);
                    ended = "end";
                    return done;
                } finally {
                    ledger.write(ended, job.id(), job.attempt(), worker, process, work.group());
                }
            });
        }
        return builder;
    }

    private String run(Work work, JobContext job, String process, Ledger ledger)
            throws IOException, InterruptedException {
        long until = System.nanoTime() + work.micros() * 1000L;
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
        switch (this) {
            case FLAKY -> {
                if (job.attempt() <= 2) {
                    throw new IllegalStateException("not yet");
                }
            }
            case SLOW -> {
                var unused = new CountDownLatch(1).await(work.micros(), TimeUnit.MILLISECONDS);
            }
            case DOOMED -> throw new IllegalStateException("never");
            case LATE -> {
                if (job.attempt() == 1) {
                    // The timeout passes before the handler is interrupted.
                    ledger.write("thrown", job.id(), job.attempt(), job.worker(), process, work.group());
                    new CountDownLatch(1).await();
                }
            }
            case PROCESS -> {
                int status = new ProcessBuilder("true").start().waitFor();
                if (status != 0) {
                    throw new IOException("status " + status);
                }
            }
            case SNOOZED -> {
                if (ThreadLocalRandom.current().nextBoolean()) {
                    throw JobSnooze.after(Duration.ofMillis(10));
                }
            }
            case CHAIN -> {
                if (work.links() > 0) {
                    int left = work.links() - 1;
                    String call = link(work.chain(), left);
                    ledger.write("try", call, 1);
                    job.continueWith(type().job(new Work(work.micros(), work.group(), work.chain(), left))
                            .withName(call + "-0"));
                }
            }
            default -> {}
        }
        return "by attempt " + job.attempt();
    }
}
