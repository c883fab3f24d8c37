package dev.windrow.examples;

import static dev.windrow.examples.PaymentSaga.PAY;
import static java.time.Duration.ofDays;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.examples.PaymentSaga.Bank;
import dev.windrow.examples.PaymentSaga.Confirmation;
import dev.windrow.examples.PaymentSaga.Order;
import dev.windrow.testkit.Drain;
import dev.windrow.testkit.WindrowTest;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The payment in all its ends, without a thread and without three days of waiting. */
class PaymentSagaTest {
    private final Bank bank = new Bank();
    private final Queue<Long> mail = new ArrayDeque<>();

    @RegisterExtension
    final WindrowTest test = WindrowTest.manual().handle(PAY, (order, job) -> PaymentSaga.pay(order, job, bank, mail));

    @Test
    void aConfirmedOrderIsChargedOnceAlthoughTheBankWasDown(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(PAY, new Order("Ada", 19900));
        test.drain();
        test.assertThat(job).hasState(JobState.BLOCKED);
        windrow.job(job).signal("confirmation", new Confirmation(true));
        test.drain(Drain.ready().withScheduled());
        test.assertThat(job).isCompleted().hasResult("charged what was reserved 19900 of Ada");
        assertThat(bank.calls()).containsExactly("reserved 19900 of Ada", "charged what was reserved 19900 of Ada");
        assertThat(mail).containsExactly(job.id());
    }

    @Test
    void anOrderThatIsNotConfirmedInThreeDaysIsReleased(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(PAY, new Order("Bob", 99000000));
        test.drain();
        test.advance(ofDays(3));
        test.drain();
        test.assertThat(job).isCompleted().hasResult("released");
    }

    @Test
    void aCrashRepeatsNoStep(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(PAY, new Order("Ada", 19900));
        windrow.job(job).signal("confirmation", new Confirmation(false));
        test.crashDuring(job);
        test.drain(Drain.ready().withScheduled());
        test.assertThat(job).isCompleted().hasAttempts(2);
        assertThat(bank.calls()).hasSize(2);
    }
}
