package dev.windrow.tests.crash;

import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.limit.LimitTarget;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Schedule;
import dev.windrow.tests.stores.Target;
import dev.windrow.workflow.ParentPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Operates the storm, and is itself an application with its own transactions. Arguments: the target, the ledger. It limits a type, saves a schedule,
 * prints {@code ready}, and accepts the lines {@code hold MILLIS SEED}, {@code drain} and {@code diagnose}. {@code hold} keeps a transaction with
 * enqueues and cancellations open for this time, and then commits it or rolls it back. {@code drain} makes waiting jobs due at once and is answered
 * by {@code unfinished N}. {@code diagnose} is answered by {@code wrong CHECK...} and {@code diagnosed}.
 */
public final class StormOperator {
    private static final String SCHEDULE = "storm";
    private static final int HELD = 5;

    private final Target target;
    private final Ledger ledger;
    private final Windrow windrow;
    private int held;

    private StormOperator(Target target, Ledger ledger, Windrow windrow) {
        this.target = target;
        this.ledger = ledger;
        this.windrow = windrow;
    }

    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[1]);
        try (Ledger ledger = new Ledger(file);
                Windrow windrow = StormProcess.open(args[0], file)) {
            windrow.limit(LimitTarget.type(StormJobs.LIMITED.type())).limit(StormJobs.LIMIT);
            windrow.schedules().save(Schedule.every(SCHEDULE, Duration.ofSeconds(1), StormJobs.TICK.each()));
            System.out.println("ready");
            StormOperator operator = new StormOperator(Target.of(args[0]), ledger, windrow);
            StormProcess.obey(operator::obey);
        }
        System.out.println("stopped");
    }

    private void obey(String[] words) throws Exception {
        switch (words[0]) {
            case "hold" -> hold(Long.parseLong(words[1]), new SplittableRandom(Long.parseLong(words[2])));
            case "drain" -> System.out.println("unfinished " + drain());
            case "diagnose" -> {
                windrow.monitor().diagnose().checks().stream()
                        .filter(check -> !check.isOk())
                        .forEach(check -> System.out.println("wrong " + check));
                System.out.println("diagnosed");
            }
            default -> throw new IOException("what is " + String.join(" ", words));
        }
    }

    /** Holds the locks of new jobs and of parents that workers want to end. On a file, holds the lock of all writers. */
    private void hold(long millis, SplittableRandom random) throws IOException, InterruptedException {
        String call = "operator." + held++;
        ledger.write("try", call, HELD);
        List<JobRef<?>> jobs = new ArrayList<>();
        List<StormJobs> kinds =
                List.of(StormJobs.FUTURE, StormJobs.FUTURE, StormJobs.KEYED, StormJobs.CHAIN, StormJobs.CHILD);
        boolean committing = false;
        try (Connection connection = target.begin()) {
            List<JobRef<?>> parents = new ArrayList<>();
            windrow.jobs(JobFilter.inState(JobState.RUNNING))
                    .newestFirst()
                    .limit(2)
                    .page()
                    .jobs()
                    .forEach(job -> parents.add(StormJobs.PLAIN.type().ref(job.id())));
            for (int i = 0; i < HELD; i++) {
                JobRequest<StormJobs.Work, String> job = kinds.get(i).job(random, call + "-" + i);
                jobs.add(windrow.on(connection)
                        .enqueue(kinds.get(i) == StormJobs.CHILD ? job.withParents(ParentPolicy.RUN, parents) : job));
            }
            windrow.on(connection).jobs(jobs.subList(0, 2)).cancel();
            var unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
            if (random.nextBoolean()) {
                committing = true;
                connection.commit();
                for (int i = 0; i < HELD; i++) {
                    ledger.write("ack", jobs.get(i).id(), kinds.get(i), call + "-" + i);
                }
                ledger.write("cancelled", jobs.get(0).id());
                ledger.write("cancelled", jobs.get(1).id());
            } else {
                connection.rollback();
                ledger.write("rolledback", call);
            }
        } catch (SQLException | RuntimeException e) {
            ledger.write(committing ? "unknown" : "refused", call, e.getMessage());
        }
    }

    private long drain() {
        try {
            windrow.schedules().pause(SCHEDULE);
            windrow.jobs(JobFilter.inState(JobState.SCHEDULED)).trigger();
            return windrow.monitor().statistics().states().entrySet().stream()
                    .filter(entry -> !entry.getKey().isFinished())
                    .mapToLong(Map.Entry::getValue)
                    .sum();
        } catch (WindrowException e) {
            e.printStackTrace();
            return Long.MAX_VALUE;
        }
    }
}
