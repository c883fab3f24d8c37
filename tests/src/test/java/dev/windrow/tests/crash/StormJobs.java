package dev.windrow.tests.crash;

import dev.windrow.JobContext;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.NewJob;
import dev.windrow.ParentPolicy;
import dev.windrow.RetryPolicy;
import dev.windrow.engine.WorkerBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

/** The kinds of jobs in a storm, and their handlers, which write each start and end to a ledger. */
enum StormJobs {
    /** Works a while. */
    PLAIN(JobState.COMPLETED),
    /** Fails in its first attempts. */
    FLAKY(JobState.COMPLETED),
    /** Fails in all of its two attempts. */
    DOOMED(JobState.FAILED),
    /** Waits beyond its time limit in the first attempt. */
    LATE(JobState.COMPLETED),
    /** Starts a process and waits for it. */
    PROCESS(JobState.COMPLETED),
    /** Depends on jobs before it, however they end. */
    CHILD(JobState.COMPLETED);

    static final int SLOTS = 4;
    static final int MAX_WORK_MICROS = 4000;

    /** How the job ends whatever happens to its workers. */
    final JobState end;

    StormJobs(JobState end) {
        this.end = end;
    }

    /** How long a handler works, in microseconds of spinning. */
    record Work(int micros) {}

    private JobType<Work, String> type() {
        JobType<Work, String> type = JobType.of(
                        "storm." + name().toLowerCase(java.util.Locale.ROOT), Work.class, String.class)
                .withMaxAttempts(this == DOOMED ? 2 : 1000)
                .withRetry(RetryPolicy.fixed(Duration.ofMillis(10)));
        return this == LATE ? type.withTimeout(Duration.ofMillis(30)) : type;
    }

    NewJob<Work, String> job(SplittableRandom random) {
        return type().job(new Work(random.nextInt(MAX_WORK_MICROS))).priority(random.nextInt(3));
    }

    NewJob<Work, String> after(SplittableRandom random, List<JobRef<?>> parents) {
        return job(random).dependsOn(ParentPolicy.RUN, parents);
    }

    static WorkerBuilder handlers(WorkerBuilder builder, String worker, Ledger ledger) {
        for (StormJobs kind : values()) {
            builder.handle(kind.type(), (work, job) -> {
                ledger.write("start", job.id(), job.attempt(), worker);
                String done = kind.run(work, job);
                ledger.write("end", job.id(), job.attempt(), worker);
                return done;
            });
        }
        return builder;
    }

    private String run(Work work, JobContext job) throws IOException, InterruptedException {
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
            case DOOMED -> throw new IllegalStateException("never");
            case LATE -> {
                if (job.attempt() == 1) {
                    new CountDownLatch(1).await();
                }
            }
            case PROCESS -> {
                int status = new ProcessBuilder("true").start().waitFor();
                if (status != 0) {
                    throw new IOException("status " + status);
                }
            }
            case PLAIN, CHILD -> {}
        }
        return "by attempt " + job.attempt();
    }
}
