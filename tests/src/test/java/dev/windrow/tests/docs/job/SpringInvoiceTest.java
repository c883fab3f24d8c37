package dev.windrow.tests.docs.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.WindrowTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestInstancePostProcessor;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;

/** The code of docs/testing-your-jobs.md about a context of Spring, which opens the Windrow and injects it into the test. */
@ExtendWith(SpringInvoiceTest.Context.class)
class SpringInvoiceTest {
    static final JobType<String, String> SEND = JobType.of("invoice.send", String.class, String.class);

    /** A context as an application has it. */
    static class Application {
        // region slice
        @Bean
        Windrow windrow() throws IOException {
            Path folder = Files.createTempDirectory("jobs");
            return Windrow.configure(SqliteStore.at(folder.resolve("jobs.db")))
                    .time(new ManualTime())
                    .open();
        }
        // endregion

        @Bean
        Checkout checkout(Windrow windrow) {
            return new Checkout(windrow);
        }
    }

    record Checkout(Windrow windrow) {
        void buy(String customer) {
            windrow.enqueue(SEND, customer);
        }
    }

    /** Does what Spring's own extension does. That one is in a library of its own. */
    static class Context implements TestInstancePostProcessor, AfterEachCallback {
        private AnnotationConfigApplicationContext context;

        @Override
        public void postProcessTestInstance(Object test, ExtensionContext extension) {
            context = new AnnotationConfigApplicationContext(Application.class);
            context.getAutowireCapableBeanFactory().autowireBean(test);
        }

        @Override
        public void afterEach(ExtensionContext extension) {
            Path file = Path.of(context.getBean(Windrow.class).location());
            context.close();
            assertThat(file).exists();
        }
    }

    // region spring
    @Autowired
    Windrow windrow;

    @Autowired
    Checkout checkout;

    @RegisterExtension
    final WindrowTest test = WindrowTest.over(() -> windrow).handle(SEND, (customer, job) -> "sent to " + customer);

    @Test
    void aCheckoutSendsAnInvoice() {
        checkout.buy("Ada");
        test.drain();
        test.assertThat(test.enqueued(SEND).job()).isCompleted().hasResult("sent to Ada");
    }
    // endregion
}
