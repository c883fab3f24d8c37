package dev.windrow.tests.processes.job;

import static org.awaitility.Awaitility.await;

import dev.windrow.Handler;
import dev.windrow.JobContext;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.stores.Target;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/**
 * A worker in its own process whose handler writes to a table of the application and ends its job in the same transaction. Arguments: the target, and
 * the step after which it prints the step and stops.
 */
public final class Booker {
    /** The steps of the handler, in order. */
    public enum Step {
        CALLED,
        BEGUN,
        WRITTEN,
        ENDED,
        COMMITTED
    }

    public static final JobType<String, String> BOOK =
            JobType.of("test.book", String.class, String.class).withRetry(RetryPolicy.fixed(Duration.ofMillis(10)));
    public static final JobType<String, Void> NEXT = JobType.of("test.next", String.class);
    public static final String TABLE = "CREATE TABLE bookings (id TEXT, attempt INTEGER)";

    private Booker() {}

    /** A callback after each step. */
    public interface Watcher {
        void after(Step step, JobContext job) throws InterruptedException;
    }

    /** Returns the queue of the job whose worker is killed after this step. No other worker serves it. */
    public static String queue(Step step) {
        return "after-" + step.name().toLowerCase(Locale.ROOT);
    }

    public static Handler<String, String> handler(Target target, Watcher watcher) {
        return (id, job) -> {
            watcher.after(Step.CALLED, job);
            job.continueWith(NEXT.job(id));
            try (Connection connection = target.begin();
                    Statement statement = connection.createStatement()) {
                watcher.after(Step.BEGUN, job);
                statement.execute("INSERT INTO bookings VALUES ('%s', %d)".formatted(id, job.attempt()));
                watcher.after(Step.WRITTEN, job);
                job.on(connection).complete("booked by attempt " + job.attempt());
                watcher.after(Step.ENDED, job);
                connection.commit();
            }
            watcher.after(Step.COMMITTED, job);
            return null;
        };
    }

    public static void main(String[] args) throws Exception {
        Target target = Target.of(args[0]);
        Step last = Step.valueOf(args[1]);
        CountDownLatch never = new CountDownLatch(1);
        try (Windrow windrow = Windrow.open(target.newStore());
                Worker worker = windrow.worker()
                        .queue(queue(last))
                        .handle(BOOK, handler(target, (step, job) -> {
                            if (step == Step.CALLED) {
                                // An attempt counts once the call of its handler is recorded.
                                await().atMost(Duration.ofMinutes(1))
                                        .until(() -> windrow.job(job.id())
                                                        .history()
                                                        .job()
                                                        .startedAt()
                                                != null);
                            }
                            if (step == last) {
                                System.out.println("after " + step);
                                System.out.flush();
                                never.await();
                            }
                        }))
                        .start()) {
            System.out.println("ready " + worker.name());
            never.await();
        }
    }
}
