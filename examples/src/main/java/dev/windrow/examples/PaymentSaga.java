package dev.windrow.examples;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.windrow.JobContext;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A saga: each durable step is done once, and another step undoes it if the whole fails. When its first attempt fails, the payment continues after
 * the finished steps. It waits for the customer without a thread.
 */
public final class PaymentSaga {
    record Order(String customer, int cents) {}

    record Confirmation(boolean accepted) {}

    static final JobType<Order, String> PAY =
            JobType.of("order.pay", Order.class, String.class).withRetry(RetryPolicy.fixed(ofMillis(10)));

    private PaymentSaga() {}

    /** The results of the orders, and the calls to the bank by idempotency key. */
    record Outcome(String accepted, String declined, List<String> calls) {}

    /** An external service that makes each call once, however often the same key repeats it. */
    static final class Bank {
        private final Map<String, String> done = new ConcurrentHashMap<>();
        private final List<String> calls = new CopyOnWriteArrayList<>();
        private volatile boolean down = true;

        String reserve(String key, Order order) {
            return once(key, "reserved " + order.cents() + " of " + order.customer());
        }

        String charge(String key, String reservation) {
            if (down) {
                down = false;
                throw new IllegalStateException("the bank is down, for once");
            }
            return once(key, "charged what was " + reservation);
        }

        void release(String key, String reservation) {
            once(key, "released what was " + reservation);
        }

        List<String> calls() {
            return List.copyOf(calls);
        }

        private String once(String key, String what) {
            calls.add(what);
            return done.computeIfAbsent(key, unused -> what);
        }
    }

    /** Runs it, with its jobs in a new file, or in the store that the argument names. */
    public static void main(String... args) throws Exception {
        try (Windrow windrow = Place.open(args)) {
            System.out.println(run(windrow));
        }
    }

    static Outcome run(Windrow windrow) throws InterruptedException {
        Bank bank = new Bank();
        LinkedBlockingQueue<Long> mail = new LinkedBlockingQueue<>(); // to customers, who are asked once
        try (Worker worker = windrow.worker()
                .handle(PAY, (order, job) -> pay(order, job, bank, mail))
                .start()) {
            System.out.println(worker.name() + " works");
            JobRef<String> printer = windrow.enqueue(PAY, new Order("Ada", 19900));
            // The customer's answer may come from any process, which needs only the id of the job. It may come before
            // the job waits for it.
            windrow.job(PAY.ref(mail.take())).signal("confirmation", new Confirmation(true));
            String accepted = Objects.requireNonNull(windrow.await(printer, ofSeconds(30)));
            JobRef<String> yacht = windrow.enqueue(PAY, new Order("Bob", 99000000));
            windrow.job(PAY.ref(mail.take())).signal("confirmation", new Confirmation(false));
            String declined = Objects.requireNonNull(windrow.await(yacht, ofSeconds(30)));
            return new Outcome(accepted, declined, bank.calls());
        }
    }

    static String pay(Order order, JobContext job, Bank bank, Queue<Long> mail) {
        String reservation =
                job.step("reserve", String.class, () -> bank.reserve(job.idempotencyKey("reserve"), order));
        job.step("ask", boolean.class, () -> mail.add(job.id()));
        Optional<Confirmation> answer = job.awaitEvent("confirmation", Confirmation.class, ofDays(3));
        if (answer.map(Confirmation::accepted).orElse(false)) {
            return job.step("charge", String.class, () -> bank.charge(job.idempotencyKey("charge"), reservation));
        }
        // The reservation is undone by another step.
        job.stepVoid("release", () -> bank.release(job.idempotencyKey("release"), reservation));
        return "released";
    }
}
