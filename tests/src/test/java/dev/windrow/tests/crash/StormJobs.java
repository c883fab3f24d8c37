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
    /** Works a while. */
    PLAIN(39, JobState.COMPLETED),
    /** Takes seconds, so that it is under way when its worker, or another one of its name, is killed or stopped. */
    SLOW(1, JobState.COMPLETED),
    /** Fails in its first attempts. */
    FLAKY(12, JobState.COMPLETED),
    /** Fails in all of its two attempts, and perhaps once more when it is retried. */
    DOOMED(5, JobState.FAILED),
    /** Waits beyond its time limit in the first attempt. */
    LATE(2, JobState.COMPLETED),
    /** Starts a process and waits for it. */
    PROCESS(2, JobState.COMPLETED),
    /** Depends on jobs before it, however they end. */
    CHILD(14, JobState.COMPLETED),
    /** Is due after a while. */
    DELAYED(5, JobState.COMPLETED),
    /** Asks to be called again later. */
    SNOOZED(4, JobState.COMPLETED),
    /** Runs alone among the jobs of its concurrency key. */
    KEYED(6, JobState.COMPLETED),
    /** Is of a type of which only {@value #LIMIT} may run at once, where that is limited. */
    LIMITED(5, JobState.COMPLETED),
    /** Goes on with {@value #LINKS} more. */
    CHAIN(3, JobState.COMPLETED),
    /** Is due much later, and cancelled before that by who has enqueued it, unless that one is killed. */
    FUTURE(2, JobState.CANCELLED, JobState.COMPLETED),
    /** Has a dedupe key; each has a call of its own. */
    DEDUPED(0, JobState.COMPLETED),
    /** Is enqueued by a schedule. */
    TICK(0, JobState.COMPLETED);

    static final int SLOTS = 4;
    static final int MAX_WORK_MICROS = 4000;
    static final int LIMIT = 2;
    static final int LINKS = 2;
    private static final int KEYS = 3;

    private final int weight;
    /** The ends that the job may have, whatever happens to its workers. */
    final Set<JobState> ends;

    StormJobs(int weight, JobState... ends) {
        this.weight = weight;
        this.ends = Set.of(ends);
    }

    /**
     * The work of a handler.
     *
     * @param micros how long it works, in microseconds of spinning
     * @param group jobs of which only so many may run at once, or nothing
     * @param chain the name of the first job of its chain
     * @param links how many jobs come after this one in its chain
     */
    record Work(int micros, String group, String chain, int links) {}

    JobType<Work, String> type() {
        JobType<Work, String> type = JobType.of("storm." + name().toLowerCase(Locale.ROOT), Work.class, String.class)
                .withMaxAttempts(this == DOOMED ? 2 : 1000)
                .withRetry(RetryPolicy.fixed(Duration.ofMillis(10)));
        return this == LATE ? type.withTimeout(Duration.ofMillis(30)) : type;
    }

    /** One of those that many calls enqueue together. */
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

    /** One that a schedule enqueues each time. */
    JobRequest<Work, String> each() {
        return type().job(new Work(0, "", "", 0));
    }

    /** The number of jobs of a group that may run at once. */
    static int limit(String group) {
        return group.equals(LIMITED.name().toLowerCase(Locale.ROOT)) ? LIMIT : 1;
    }

    /** The names of the jobs that come after one with this name. */
    List<String> owed(String name) {
        return this == CHAIN
                ? IntStream.range(0, LINKS)
                        .mapToObj(left -> link(name, left) + "-0")
                        .toList()
                : List.of();
    }

    /** The call that enqueues the job of a chain after which so many come; its job is the call's first. */
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
                    // Its time is over before it is interrupted.
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
