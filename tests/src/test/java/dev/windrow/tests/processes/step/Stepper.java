package dev.windrow.tests.processes.step;

import dev.windrow.JobContext;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.stores.Target;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A worker in its own process whose handler has many durable steps. Each step has an effect in a table of the application, in the transaction of the
 * step or in a separate one before it. The starter of the process sends a line when the next step may begin. Argument: the target.
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

    /** The reports of a new step, and its waits. */
    interface Pace {
        /** Called before a step that no earlier attempt has done. Reports it, and waits until it may begin. */
        void begin() throws IOException;

        void say(String what);
    }

    /** Runs the steps, and returns the sum of their results, including the results of earlier attempts. */
    static int walk(Target target, JobContext job, Pace pace) throws Exception {
        int sum = 0;
        for (int i = 0; i < STEPS; i++) {
            int step = i;
            boolean[] isNew = new boolean[1];
            sum += step % 2 == 0
                    ? job.stepInTransaction("step " + step, int.class, connection -> {
                        isNew[0] = true;
                        pace.begin();
                        int answer = effect(connection, job, step, 0);
                        pace.say("wrote");
                        return answer;
                    })
                    : job.step("step " + step, int.class, () -> {
                        isNew[0] = true;
                        pace.begin();
                        try (Connection connection = target.begin()) {
                            int answer = effect(connection, job, step, 1);
                            connection.commit();
                            pace.say("wrote");
                            return answer;
                        }
                    });
            if (isNew[0]) {
                pace.say("did");
            }
        }
        return sum;
    }

    private static int effect(Connection connection, JobContext job, int step, int own) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO effects VALUES (%d, %d, %d)".formatted(job.id(), step, own));
        }
        return step;
    }

    static Worker start(Windrow windrow, Target target, Pace pace) {
        return windrow.worker()
                .lease(Duration.ofSeconds(1))
                .concurrency(1)
                .handle(WALK, (input, job) -> walk(target, job, pace))
                .handle(
                        WAIT,
                        (input, job) -> job.awaitEvent("go", String.class, Duration.ofDays(7))
                                .orElse("nothing came"))
                .handle(OTHER, (input, job) -> input)
                .start();
    }

    public static void main(String[] args) throws Exception {
        Target target = Target.of(args[0]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Pace pace = new Pace() {
            @Override
            public void begin() throws IOException {
                say("at");
                if (in.readLine() == null) {
                    throw new IOException("the input ended before the next step was allowed");
                }
            }

            @Override
            public void say(String what) {
                System.out.println(what);
                System.out.flush();
            }
        };
        try (Windrow windrow = Windrow.open(target.newStoreBesideTables());
                Worker worker = start(windrow, target, pace)) {
            System.out.println("ready " + worker.name());
            System.out.flush();
            new CountDownLatch(1).await();
        }
    }
}
