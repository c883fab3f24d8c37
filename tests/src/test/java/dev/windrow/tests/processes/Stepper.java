package dev.windrow.tests.processes;

import dev.windrow.JobContext;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.engine.Windrow;
import dev.windrow.engine.Worker;
import dev.windrow.tests.stores.Target;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A worker in a process of its own whose handler has many durable steps, each with an effect in a table of the application's: in the
 * transaction of the step, or in one of its own before it. Argument: the target.
 */
final class Stepper {
    static final int STEPS = 20;

    static final JobType<Integer, Integer> WALK = JobType.of("test.walk", Integer.class, Integer.class)
            .withRetry(RetryPolicy.fixed(Duration.ofMillis(1)))
            .withMaxAttempts(1000);
    static final JobType<String, String> WAIT = JobType.of("test.wait", String.class, String.class);
    static final JobType<Integer, Integer> OTHER = JobType.of("test.other", Integer.class, Integer.class);
    static final String TABLE = "CREATE TABLE effects (job BIGINT, step INTEGER, own INTEGER)";

    private Stepper() {}

    /** The sum of what the steps answered, whichever attempt did them. */
    static int walk(Target target, JobContext job) throws SQLException {
        int sum = 0;
        for (int i = 0; i < STEPS; i++) {
            int step = i;
            sum += step % 2 == 0
                    ? job.stepInTransaction("step " + step, int.class, connection -> effect(connection, job, step, 0))
                    : job.step("step " + step, int.class, () -> {
                        try (Connection connection = target.begin()) {
                            int answer = effect(connection, job, step, 1);
                            connection.commit();
                            return answer;
                        }
                    });
            System.out.println("did " + step);
            System.out.flush();
        }
        return sum;
    }

    private static int effect(Connection connection, JobContext job, int step, int own) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO effects VALUES (%d, %d, %d)".formatted(job.id(), step, own));
        }
        return step;
    }

    static Worker start(Windrow windrow, Target target) {
        return windrow.worker()
                .lease(Duration.ofSeconds(1))
                .concurrency(1)
                .handle(WALK, (input, job) -> walk(target, job))
                .handle(
                        WAIT,
                        (input, job) -> job.awaitEvent("go", String.class, Duration.ofDays(7))
                                .orElse("nothing came"))
                .handle(OTHER, (input, job) -> input)
                .start();
    }

    public static void main(String[] args) throws Exception {
        Target target = Target.of(args[0]);
        try (Windrow windrow = Windrow.open(target.newStoreBesideTables());
                Worker worker = start(windrow, target)) {
            System.out.println("ready " + worker.name());
            System.out.flush();
            new CountDownLatch(1).await();
        }
    }
}
