package dev.windrow.tests.docs.step;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;

import dev.windrow.JobPark;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;

/** The code of docs/how-to/external-completion.md. */
final class ExternalCompletionSnippet {
    private ExternalCompletionSnippet() {}

    record Order(int number, int cents) {}

    record Approval(String by) {}

    record Payment(String provider, boolean paid) {}

    /** A payment provider that calls a web hook after a payment. */
    interface Provider {
        void begin(Order order, String reference);
    }

    static final JobType<Order, Approval> APPROVE = JobType.of("order.approve", Order.class, Approval.class);

    static final JobType<Order, Void> SHIP = JobType.of("order.ship", Order.class);

    static final JobType<Order, Payment> PAY = JobType.of("order.pay", Order.class, Payment.class);

    static JobRef<Approval> ask(Windrow windrow, Order order) {
        // region ask
        JobRef<Approval> approval = windrow.enqueue(APPROVE.job(order).withExternalCompletion(ofDays(7)));
        windrow.enqueue(SHIP.job(order).withParents(approval));
        // endregion
        return approval;
    }

    static void answer(Windrow windrow, long id, boolean granted, String person) {
        // region answer
        if (granted) {
            windrow.job(APPROVE.ref(id)).complete(new Approval(person)); // and the order is shipped
        } else {
            windrow.job(APPROVE.ref(id)).fail("APPROVAL:REFUSED", "by " + person);
        }
        // endregion
    }

    static JobRef<Void> approveAndGoOn(Windrow windrow, long id, String person, Order order) {
        // region continue
        JobRef<Void> shipping = windrow.job(APPROVE.ref(id)).completeWith(new Approval(person), SHIP.job(order));
        // endregion
        return shipping;
    }

    static Worker.Builder pay(Windrow windrow, Provider provider) {
        // region park
        return windrow.worker().handle(PAY, (order, job) -> {
            provider.begin(order, "job-" + job.id()); // takes the money, and calls back
            throw JobPark.forAtMost(ofHours(2));
        });
        // endregion
    }

    static void hook(Windrow windrow, String reference, Payment payment) {
        // region hook
        long id = Long.parseLong(reference.substring("job-".length()));
        if (payment.paid()) {
            windrow.job(PAY.ref(id)).complete(payment);
        } else {
            windrow.job(PAY.ref(id)).fail("PAYMENT:DECLINED", payment.provider());
        }
        // endregion
    }
}
