package dev.windrow.spring.test;

import static java.time.Duration.ofDays;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.Windrow;
import dev.windrow.spring.JobHandler;
import dev.windrow.testkit.WindrowTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

/** A test of an application, as in docs/spring.md. */
// region test
@SpringBootTest(classes = CheckoutTest.Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
@WindrowSpringTest
class CheckoutTest {
    @Autowired
    Checkout checkout;

    @Test
    void aCheckoutSendsAnInvoiceAndLaterAReminder(WindrowTest test) {
        checkout.buy("Ada");
        test.drain();
        assertThat(checkout.sent).containsExactly("invoice for Ada");
        test.advance(ofDays(14));
        test.drain();
        assertThat(checkout.sent).containsExactly("invoice for Ada", "reminder for Ada");
    }
    // endregion

    @Test
    void aTestSeesOnlyItsJobs(WindrowTest test) {
        test.notEnqueued(Checkout.SEND);
        checkout.buy("Grace");
        test.enqueued(Checkout.SEND).once().withInput("Grace");
        test.drain();
        test.assertThat(test.enqueued(Checkout.SEND).job()).isCompleted();
    }

    @Test
    void theContextHasNoWorkerAndATemporaryFile(@Autowired Windrow windrow) {
        assertThat(windrow.monitor().workers()).isEmpty();
        assertThat(windrow.location()).contains("windrow-test");
    }

    @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
    @Import(Checkout.class)
    static class Application {}

    static class Checkout {
        static final JobType<String, Void> SEND = JobType.of("invoice.send", String.class);
        static final JobType<String, Void> REMIND = JobType.of("invoice.remind", String.class);

        final List<String> sent = new ArrayList<>();
        private final Jobs jobs;

        Checkout(Jobs jobs) {
            this.jobs = jobs;
        }

        void buy(String customer) {
            sent.clear();
            jobs.enqueue(SEND, customer);
            jobs.enqueue(REMIND.job(customer).withDelay(ofDays(14)));
        }

        @JobHandler("invoice.send")
        void send(String customer) {
            sent.add("invoice for " + customer);
        }

        @JobHandler("invoice.remind")
        void remind(String customer) {
            sent.add("reminder for " + customer);
        }
    }
}
