package dev.windrow.examples;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.windrow.JobContext;
import dev.windrow.JobPark;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.workflow.ParentOutcome;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Jobs that are completed externally. A purchase waits until a manager approves it, without a worker, a thread or a process. A purchase without an
 * answer is refused by its time-out. An approved purchase is paid by a payment provider, which calls back.
 */
public final class Approvals {
    record Purchase(String what, int cents) {}

    record Approval(String by) {}

    record Payment(String receipt) {}

    static final JobType<Purchase, Approval> APPROVE = JobType.of("purchase.approve", Purchase.class, Approval.class);
    static final JobType<Purchase, Payment> PAY = JobType.of("purchase.pay", Purchase.class, Payment.class);
    static final JobType<Purchase, String> CLOSE = JobType.of("purchase.close", Purchase.class, String.class);

    private Approvals() {}

    /** The results of the two purchases. */
    record Outcome(String approved, String unanswered) {}

    /** Runs it, with its jobs in a new file, or in the store that the argument names. */
    public static void main(String... args) throws Exception {
        try (Windrow windrow = Place.open(args)) {
            System.out.println(run(windrow));
        }
    }

    static Outcome run(Windrow windrow) throws InterruptedException {
        LinkedBlockingQueue<Long> provider =
                new LinkedBlockingQueue<>(); // the payment provider, which gets the ids of the jobs
        JobRef<Approval> asked = ask(windrow, new Purchase("a printer", 19900), ofDays(7));
        JobRef<String> printer = whenApproved(windrow, asked, new Purchase("a printer", 19900));
        JobRef<Approval> forgotten = ask(windrow, new Purchase("a yacht", 99000000), ofMillis(100));
        JobRef<String> yacht = whenApproved(windrow, forgotten, new Purchase("a yacht", 99000000));

        try (Worker worker = windrow.worker()
                .handle(PAY, (purchase, job) -> {
                    provider.put(job.id());
                    throw JobPark.forAtMost(ofDays(1)); // holds no thread and no lease until the provider has called
                })
                .handle(CLOSE, Approvals::close)
                .start()) {
            System.out.println(worker.name() + " works; there is nothing that it could do");

            // The web page of the manager knows the id of the job, and nothing else.
            windrow.job(APPROVE.ref(asked.id())).complete(new Approval("Grace"));
            // The provider's call, with the reference that the job gave it. It may come before the job is parked. Then
            // the exception of the handler has no effect any more, and a warning is logged.
            windrow.job(PAY.ref(provider.take())).complete(new Payment("R-1"));

            return new Outcome(
                    Objects.requireNonNull(windrow.await(printer, ofSeconds(30))),
                    Objects.requireNonNull(windrow.await(yacht, ofSeconds(30))));
        }
    }

    private static JobRef<Approval> ask(Windrow windrow, Purchase purchase, Duration atMost) {
        JobRef<Approval> approval =
                windrow.enqueue(APPROVE.job(purchase).withName(purchase.what()).withExternalCompletion(atMost));
        System.out.println("job " + approval + " waits for an approval of " + purchase.what());
        return approval;
    }

    /** Enqueues the payment for an approved purchase, and the job that closes the purchase in any case. */
    private static JobRef<String> whenApproved(Windrow windrow, JobRef<Approval> approval, Purchase purchase) {
        JobRef<Payment> payment = windrow.enqueue(PAY.job(purchase).withParents(ParentPolicy.CANCEL, approval));
        return windrow.enqueue(CLOSE.job(purchase).withParents(ParentPolicy.RUN, List.of(approval, payment)));
    }

    private static String close(Purchase purchase, JobContext job) {
        ParentOutcome approval = job.parents().get(0);
        ParentOutcome payment = job.parents().get(1);
        String end = approval.state() == JobState.COMPLETED
                ? purchase.what() + ": approved by "
                        + job.result(approval, APPROVE).by() + ", paid with "
                        + job.result(payment, PAY).receipt()
                : purchase.what() + ": " + approval.errorCode() + ", the payment is " + payment.state();
        System.out.println(end);
        return end;
    }
}
